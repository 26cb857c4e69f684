import type { KeyStore, StoredKey } from './keys.ts';

/** The key list when it lags behind the actual keys; times in milliseconds of the caller's clock. */
export type Listing = {
  /** Oldest first. */
  shown(): readonly StoredKey[];
  /** Lists show keys that `work` creates or removes only from `until` on. */
  lagging<T>(until: number, work: () => T): T;
};

export const createListing = (keys: KeyStore, now: () => number): Listing => {
  let late: { key: StoredKey; until: number; isThere: boolean }[] = [];
  return {
    shown() {
      late = late.filter(({ until }) => until > now());
      if (late.length === 0) return keys.all();
      const hidden = new Set(late.filter(({ isThere }) => isThere).map(({ key }) => key.id));
      const gone = late.filter(({ isThere }) => !isThere).map(({ key }) => key);
      return [...keys.all().filter(({ id }) => !hidden.has(id)), ...gone].toSorted((a, b) => a.id - b.id);
    },
    lagging(until, work) {
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
export type Later = {
  put(at: number, work: () => void): void;
  catchUp(): void;
};

export const createLater = (now: () => number): Later => {
  let waiting: { at: number; work: () => void }[] = [];
  return {
    put(at, work) {
      waiting.push({ at, work });
    },
    catchUp() {
      const due = waiting.filter(({ at }) => at <= now());
      waiting = waiting.filter(({ at }) => at > now());
      for (const { work } of due.toSorted((a, b) => a.at - b.at)) work();
    },
  };
};
