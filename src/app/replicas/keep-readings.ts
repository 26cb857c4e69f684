import { createGate, type Clock, type UnixMillis } from '../../core/index.ts';
import type { Readers, Sample } from '../../metrics/index.ts';

/** The maximum age of a returned reading in milliseconds. If the last one is older, a scrape waits for the next. */
const oldest = 120_000;

type Reading = { readonly at: UnixMillis; readonly samples: Promise<readonly Sample[]> };

/**
 * Readers that give the figures of their last reading, and begin the next one. A reading has many statements, one after the
 * other, and a scrape does not wait for a distant database.
 */
export const keepReadings = (readers: Readers, { now }: Pick<Clock, 'now'>): Readers => {
  // They share the database with jobs.
  const oneAtATime = createGate(1);
  const keep = (read: Readers[string]): Readers[string] => {
    let last: Reading | undefined;
    let next: Reading | undefined;
    const begin = (): Reading => {
      const begun = { at: now(), samples: oneAtATime(read) };
      const end = (): void => {
        last = begun;
        next = undefined;
      };
      // The scrape that receives a failed reading reports the error.
      begun.samples.then(end, end);
      return begun;
    };
    return async () => {
      const current = (next ??= begin());
      return last !== undefined && Math.abs(now() - last.at) < oldest ? last.samples : current.samples;
    };
  };
  return Object.fromEntries(Object.entries(readers).map(([part, read]) => [part, keep(read)]));
};
