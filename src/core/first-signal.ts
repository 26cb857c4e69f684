/**
 * Is aborted with the first of the signals, until it is disposed of. `AbortSignal.any` would leak memory while a
 * listener is attached, and so would listeners left on a long-lived signal.
 */
export const firstSignal = (
  signals: readonly (AbortSignal | undefined)[],
): Disposable & { readonly signal: AbortSignal } => {
  const first = new AbortController();
  const watched = signals.flatMap((signal) => {
    if (signal === undefined) return [];
    const abort = (): void => first.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    return [{ signal, abort }];
  });
  return {
    signal: first.signal,
    [Symbol.dispose]: () => {
      for (const { signal, abort } of watched) signal.removeEventListener('abort', abort);
    },
  };
};
