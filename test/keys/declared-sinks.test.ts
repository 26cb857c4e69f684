import { expect, it } from 'vitest';
import type { Cycle } from '../../src/keys/cycle/cycle.ts';
import type { Consumer, EngineDeps } from '../../src/keys/cycle/engine-deps.ts';
import { declaredSinks } from '../../src/keys/cycle/known-places.ts';

const consumer = (...places: readonly string[]): Consumer =>
  ({ sinks: places.map((place) => ({ place })) }) as unknown as Consumer;

const jobs: Readonly<Record<string, Consumer>> = {
  own: consumer('own.env'),
  renamed: consumer('renamed.env', 'shared.env'),
  other: consumer('other.env', 'shared.env'),
};

/** The places of the sinks that the configuration declares for a rotation of the job `own`. */
const placesOf = (deliveredBy: EngineDeps['deliveredBy'], attempts: readonly (number | undefined)[]) => {
  const cycle = {
    deps: { consumerOf: (job: string) => jobs[job], ...(deliveredBy === undefined ? {} : { deliveredBy }) },
    keys: () => new Map([[7, { id: 7, name: 'billing.g1' }]]),
  } as unknown as Cycle;
  const rotation = {
    service: 'billing',
    terms: { job: 'own' },
    attempts: attempts.map((keyId) => ({ keyId, generation: 1 })),
  } as unknown as Parameters<typeof declaredSinks>[1];
  return declaredSinks(cycle, rotation, () => jobs['own']).map(({ place }) => place);
};

it('The sinks of a rotation are those of its job and of every other job that delivers its keys, each once', () => {
  expect(placesOf(() => ['own', 'renamed', 'other'], [7])).toEqual([
    'own.env',
    'renamed.env',
    'shared.env',
    'other.env',
  ]);
});

it('An attempt whose key is not in the list of keys adds no sinks', () => {
  expect(placesOf(() => ['renamed'], [undefined, 8])).toEqual(['own.env']);
});

it('A job that is not declared any more adds no sinks', () => {
  expect(placesOf(() => ['deleted'], [7])).toEqual(['own.env']);
  expect(placesOf(undefined, [7])).toEqual(['own.env']);
});
