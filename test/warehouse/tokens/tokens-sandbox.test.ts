import { describe, expect, it } from 'vitest';
import { addDays, dateAt, localDays, startOfDay, unixSeconds } from '../../../src/core/index.ts';
import type { TruthRow } from '../../../src/sandbox/index.ts';
import { now } from '../../support/gateway-fixture.ts';
import { openJobFixture, type JobFixture } from '../../support/job-fixture.ts';
import { allClasses } from './tokens-support.ts';

const first = '2026-11-01';
const today = dateAt(unixSeconds(Math.floor(now / 1000)), 'UTC');
const start = startOfDay(first, 'UTC');
const end = startOfDay(today, 'UTC');

/** The classes of a call as the sandbox made it, in the order of `allClasses`. */
const trueClasses = (row: TruthRow): readonly number[] => [
  row.text + row.cached + row.cacheWrite + row.audioInput + row.imageInput,
  row.text,
  row.cached,
  row.cacheWrite,
  row.audioInput,
  row.imageInput,
  0,
  row.completion,
  row.completion - row.reasoning - row.audioOutput,
  row.reasoning,
  row.audioOutput,
  0,
];

type Sums = ReadonlyMap<string, readonly number[]>;

const truthOf = (fixture: JobFixture): Sums => {
  const sums = new Map<string, number[]>();
  for (const row of fixture.sandbox.truth.rows(start, end)) {
    if (row.kind !== 'consumption') continue;
    const known = sums.get(row.model) ?? allClasses.map(() => 0);
    const classes = trueClasses(row);
    sums.set(
      row.model,
      known.map((sum, at) => sum + (classes[at] ?? 0)),
    );
  }
  return sums;
};

const heldIn = async (fixture: JobFixture): Promise<Sums> => {
  const periods = [{ name: 'current' as const, days: localDays(first, addDays(today, -1), 'UTC') }];
  const table = await fixture.context.warehouse.readCube(
    { account: 'main', periods, timeLimit: 3_600_000_000 },
    async (query) =>
      query(
        `SELECT model_name, ${allClasses.map((name) => `sum(${name})`).join(', ')} FROM cube
         WHERE kind = 'consumption' GROUP BY model_name`,
      ),
  );
  return new Map(table.rows.map(([model, ...cells]) => [String(model), cells.map(Number)]));
};

const sorted = (sums: Sums) => Object.fromEntries([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)));

const conventions = async ({ context }: JobFixture) => context.warehouse.tokens.conventions('main');

const anthropic = ['claude-haiku-4-5', 'claude-sonnet-4-5'];
const others = ['deepseek-chat', 'gemini-2.5-flash', 'gpt-4.1', 'gpt-4.1-mini', 'o4-mini'];
const reasoners = ['gemini-2.5-flash', 'o4-mini'];

/** Of each variant, by model, whether the count of a part is in that of its whole. */
const variants = [
  ['prompt_tokens', 'per-vendor', (model: string) => !anthropic.includes(model)],
  ['prompt_tokens', 'includes-cached', () => true],
  ['prompt_tokens', 'excludes-cached', () => false],
  ['completion_tokens', 'includes-reasoning', () => true],
  ['completion_tokens', 'excludes-reasoning', () => false],
  ['completion_tokens', 'per-vendor', (model: string) => !model.startsWith('gemini')],
] as const;

describe.each(['currency', 'units'] as const)('with amounts in %s', (log_quota) => {
  it.each(variants)(
    'classes of every model are what the calls truly were where %s are counted %s (G6.12)',
    async (side, counted, includes) => {
      await using fixture = await openJobFixture({
        variants: { [side]: counted, log_quota },
        callsPerDay: 150,
      });
      await fixture.run('pull-logs', { since: first });
      const isInput = side === 'prompt_tokens';
      const decided = (await conventions(fixture)).flatMap(({ output, ...input }) => {
        const { convention, contradicted } = isInput ? input : output;
        const parts = isInput ? input.evidence.cacheCalls : output.evidence.reasoningCalls;
        return parts > 0 ? [[input.model, convention, contradicted]] : [];
      });
      expect(decided).toEqual(
        (isInput ? [...anthropic, ...others] : reasoners).map((model) => [
          model,
          `${includes(model) ? 'includes' : 'excludes'}_${isInput ? 'cache' : 'reasoning'}`,
          false,
        ]),
      );
      expect(sorted(await heldIn(fixture))).toEqual(sorted(truthOf(fixture)));
    },
  );
});

it('tokens undecided after a few calls differ from the truth only by being unclassified', async () => {
  await using fixture = await openJobFixture({
    variants: { prompt_tokens: 'includes-cached' },
    callsPerDay: 4,
  });
  await fixture.run('pull-logs', { since: first });
  const found = await conventions(fixture);
  const openInput = found.filter(
    ({ convention, evidence }) => convention === undefined && evidence.cacheCalls > 0,
  );
  const openOutput = found.filter(
    ({ output }) => output.convention === undefined && output.evidence.reasoningCalls > 0,
  );
  expect(openInput.length).toBeGreaterThan(0);
  expect(openOutput.length).toBeGreaterThan(0);
  const truth = truthOf(fixture);
  const outputAt = allClasses.indexOf('output_tokens');
  for (const [model, stored] of await heldIn(fixture)) {
    const real = truth.get(model) ?? [];
    for (const [start, end, open] of [
      [0, outputAt, openInput],
      [outputAt, allClasses.length, openOutput],
    ] as const) {
      const [heldSide, realSide] = [stored.slice(start, end), real.slice(start, end)];
      if (!open.some((one) => one.model === model)) {
        expect([model, heldSide]).toEqual([model, realSide]);
        continue;
      }
      // The total is that of a whole that includes its part, as here; the last class is the unclassified one.
      expect(heldSide[0]).toBe(realSide[0]);
      const missing = realSide.slice(1, -1).map((value, at) => value - (heldSide[at + 1] ?? 0));
      for (const gap of missing) expect(gap).toBeGreaterThanOrEqual(0);
      expect(heldSide.at(-1)).toBe(missing.reduce((sum, gap) => sum + gap, 0));
    }
  }
});
