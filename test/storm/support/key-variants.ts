import type { Fault, SandboxOptions } from '../../../src/sandbox/index.ts';

/** What a gateway may do to whoever rotates its keys: the ways of one axis exclude each other. */
type Way = {
  readonly name: string;
  readonly variants?: NonNullable<SandboxOptions['variants']>;
  /** Planted before each rotation. */
  readonly faults?: readonly Fault[];
};

const keys = '/api/token/';
const often = 1_000_000;

const axes: readonly (readonly Way[])[] = [
  [
    { name: 'PUT replaces', variants: { update: 'replace' } },
    { name: 'PUT keeps', variants: { update: 'keep', update_quota: 'keep-spend' } },
    { name: 'PUT takes units', variants: { update: 'replace', quota_request_unit: 'units' } },
  ],
  [
    { name: 'newest first' },
    { name: 'oldest first, no total', variants: { page_order: 'oldest-first', page_total: 'zero' } },
    {
      name: 'keys come and go',
      // Now and then, or no list would ever settle.
      faults: [0, 12, 24, 36].map((skip) => ({
        kind: 'churn',
        add: 2,
        remove: 1,
        method: 'GET',
        path: keys,
        times: 3,
        skip,
      })),
    },
  ],
  [
    { name: 'no cache', variants: { key_cache: '0' } },
    { name: 'cache of 60 s', variants: { key_cache: '60', missing_id: 'database-text' } },
    { name: 'cache of 600 s', variants: { key_cache: '600', key_prefix: 'none' } },
  ],
  [
    { name: 'every answer' },
    {
      name: 'lost answers',
      // Twice in a row: of two services both keys that are asked for are lost.
      faults: ['POST', 'PUT', 'DELETE'].map((method) => ({
        kind: 'lost-answer',
        method,
        path: keys,
        times: 2,
      })),
    },
    {
      name: 'late effects',
      faults: ['POST', 'DELETE'].map((method) => ({ kind: 'late-effect', millis: 4000, method, path: keys })),
    },
    {
      name: 'late lists',
      faults: ['POST', 'DELETE'].map((method) => ({
        kind: 'late-listing',
        millis: 4000,
        method,
        path: keys,
        times: often,
      })),
    },
  ],
];

/** One way of each axis. */
export type KeyScenario = {
  readonly name: string;
  readonly variants: NonNullable<SandboxOptions['variants']>;
  readonly faults: readonly Fault[];
};

const pairsOf = (choice: readonly number[]): readonly string[] =>
  choice.flatMap((way, axis) =>
    choice.slice(axis + 1).map((other, offset) => `${axis}.${way} ${axis + 1 + offset}.${other}`),
  );

const allChoices = axes.reduce<readonly (readonly number[])[]>(
  (choices, ways) => choices.flatMap((choice) => ways.map((_, way) => [...choice, way])),
  [[]],
);

const waysOf = (choice: readonly number[]): readonly string[] => choice.map((way, axis) => `${axis}.${way}`);

/** As few choices as will do, so that each thing that one of them may show is shown by one at least. */
const coveringChoices = (
  shownBy: (choice: readonly number[]) => readonly string[],
): readonly (readonly number[])[] => {
  const missing = new Set(allChoices.flatMap(shownBy));
  const chosen: (readonly number[])[] = [];
  const gain = (choice: readonly number[]): number =>
    shownBy(choice).filter((shown) => missing.has(shown)).length;
  while (missing.size > 0) {
    const best = allChoices.reduce((left, right) => (gain(right) > gain(left) ? right : left));
    for (const shown of shownBy(best)) missing.delete(shown);
    chosen.push(best);
  }
  return chosen;
};

const scenarioOf = (choice: readonly number[]): KeyScenario => {
  const ways = choice.flatMap((way, axis) => axes[axis]?.[way] ?? []);
  return {
    name: ways.map(({ name }) => name).join(', '),
    variants: Object.assign({}, ...ways.map(({ variants }) => variants)) as KeyScenario['variants'],
    faults: ways.flatMap(({ faults = [] }) => faults),
  };
};

/** Every pair of ways at least once, or every way. */
export const keyScenarios = (covered: 'pairs' | 'ways'): readonly KeyScenario[] =>
  coveringChoices(covered === 'pairs' ? pairsOf : waysOf).map(scenarioOf);
