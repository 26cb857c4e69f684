import fc from 'fast-check';
import { slotLength } from './chaos-fixture.ts';

/** What happens to the daemon in one round; the next round begins with another one, at once. Times in milliseconds. */
export type Round =
  /** kill -9 so long after it was ready. */
  | { readonly kind: 'kill'; readonly after: number }
  /** kill -9 so long after it was spawned. */
  | { readonly kind: 'kill starting'; readonly after: number }
  /** kill -9, and nobody there for a while. */
  | { readonly kind: 'kill and pause'; readonly after: number; readonly pause: number }
  /** SIGTERM. */
  | { readonly kind: 'stop'; readonly after: number }
  /** Frozen and thawed, as a laptop that sleeps; then kill -9. */
  | { readonly kind: 'freeze'; readonly after: number; readonly pause: number }
  /** A second daemon waits; kill -9 to the first. The second is the daemon of the next round. */
  | { readonly kind: 'take over'; readonly after: number }
  /** A second daemon waits and gets kill -9 itself; then the first does. */
  | { readonly kind: 'kill both'; readonly after: number };

const upTo = (most: number) => fc.integer({ min: 0, max: most });

const round: fc.Arbitrary<Round> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ kind: fc.constant('kill' as const), after: upTo(2500) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('kill starting' as const), after: upTo(1500) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('kill and pause' as const),
      after: upTo(2500),
      pause: fc.integer({ min: 2000, max: 8000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stop' as const), after: upTo(2500) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('freeze' as const),
      after: upTo(2000),
      pause: fc.integer({ min: 1000, max: 5000 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('take over' as const), after: upTo(1500) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill both' as const), after: upTo(1500) }) },
);

/** Every kind at least once, then at random; the same for the same seed. */
export const drawRounds = (seed: number, count: number): readonly Round[] => {
  const first: readonly Round[] = [
    { kind: 'kill', after: 1200 },
    { kind: 'kill starting', after: 400 },
    // Two whole slots go by, so that `catchup: latest` always leaves one missed.
    { kind: 'kill and pause', after: 700, pause: 2 * slotLength + 500 },
    { kind: 'stop', after: 900 },
    { kind: 'freeze', after: 500, pause: 3000 },
    { kind: 'take over', after: 600 },
    { kind: 'kill both', after: 600 },
  ];
  const random = fc.sample(round, { seed, numRuns: Math.max(1, count - first.length) });
  return [...first, ...random].slice(0, count);
};
