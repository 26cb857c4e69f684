import type { KeyStore, StoredKey } from './keys.ts';

/** The key list when it lags behind the actual keys; times in milliseconds of the caller's clock. */
export const createListing = (keys: KeyStore, now: () => number) => {
  let late: { key: StoredKey; until: number; isThere: boolean }[] = [];
  return {
    /** Oldest first. */
    shown(): readonly StoredKey[] {
      late = late.filter(({ until }) => until > now());
      if (late.length === 0) return keys.all();
      const hidden = new Set(late.filter(({ isThere }) => isThere).map(({ key }) => key.id));
      const gone = late.filter(({ isThere }) => !isThere).map(({ key }) => key);
      return [...keys.all().filter(({ id }) => !hidden.has(id)), ...gone].toSorted((a, b) => a.id - b.id);
    },
    /** Lists show keys that `work` creates or removes only from `until` on. */
    lagging<Result>(until: number, work: () => Result): Result {
      const before = new Set(keys.all());
      const result = work();
      const after = new Set(keys.all());
      for (const key of before) if (!after.has(key)) late.push({ key, until, isThere: false });
      for (const key of after) if (!before.has(key)) late.push({ key, until, isThere: true });
      return result;
    },
  };
};

/** Deferred work: runs before the first request at or after its time. */
export const createLater = (now: () => number) => {
  let waiting: { at: number; work: () => void }[] = [];
  return {
    put(at: number, work: () => void): void {
      waiting.push({ at, work });
    },
    catchUp(): void {
      const due = waiting.filter(({ at }) => at <= now());
      waiting = waiting.filter(({ at }) => at > now());
      for (const { work } of due.toSorted((a, b) => a.at - b.at)) work();
    },
  };
};

const limits = {
  any: { requests: 180, millis: 180_000 },
  sensitive: { requests: 20, millis: 1_200_000 },
} as const;

/** Sliding windows like those of the gateway family (docs/gateway.md G3.3). */
export const createRateLimiter = (now: () => number) => {
  const seen = new Map<string, number[]>();

  const admitTo = (name: string, limit: (typeof limits)[keyof typeof limits]): boolean => {
    const recent = (seen.get(name) ?? []).filter((at) => at > now() - limit.millis);
    const admitted = recent.length < limit.requests;
    if (admitted) recent.push(now());
    seen.set(name, recent);
    return admitted;
  };

  return {
    /** Counts a request of a caller; false when it exceeds the limit. */
    admit: (caller: string, sensitive: boolean): boolean =>
      admitTo(`any ${caller}`, limits.any) &&
      (!sensitive || admitTo(`sensitive ${caller}`, limits.sensitive)),
  };
};
