/** The same bytes until the signal is aborted; then throws its reason at once, even while the stream is stalled. */
export async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = body[Symbol.asyncIterator]();
  // One promise per piece: a race against one that lives as long as the stream would keep every piece in memory.
  let interrupt: (reason: unknown) => void = () => undefined;
  const onAbort = (): void => interrupt(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  let ended = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        interrupt = reject;
        source.next().then(resolve, reject);
      });
      if (next.done === true) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a stalled stream would also stall its own end.
    if (!ended) void source.return?.().catch(() => undefined);
  }
}
