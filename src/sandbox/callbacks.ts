/** Requests of the gateway to clients: sent without waiting, and never retried. */
export type Callbacks = {
  post: (url: string, body: string) => void;
  /** Resolves when all requests sent so far have ended. */
  settled(): Promise<void>;
  stop(): Promise<void>;
};

const TIME_LIMIT = 5000;

export const createCallbacks = (): Callbacks => {
  const stopped = new AbortController();
  const running = new Set<Promise<void>>();
  const settled = async (): Promise<void> => {
    await Promise.all(running);
  };
  return {
    post(url, body) {
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
    settled,
    async stop() {
      stopped.abort();
      await settled();
    },
  };
};
