const TIME_LIMIT = 5000;

/** Requests of the gateway to clients: sent without waiting, and never retried. */
export const createCallbacks = () => {
  const stopped = new AbortController();
  const running = new Set<Promise<void>>();
  /** Resolves when all requests sent so far have ended. */
  const settled = async (): Promise<void> => {
    await Promise.all(running);
  };
  return {
    settled,
    post(url: string, body: string): void {
      const sent = fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(TIME_LIMIT)]),
      })
        // Ignores an unreachable receiver.
        .then(async (response) => response.body?.cancel())
        .catch(() => undefined)
        .finally(() => running.delete(sent));
      running.add(sent);
    },
    async stop(): Promise<void> {
      stopped.abort();
      await settled();
    },
  };
};
