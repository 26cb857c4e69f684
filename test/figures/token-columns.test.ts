import fc from 'fast-check';
import { expect, it } from 'vitest';
import { divideMoney, interval, money, multiplyMoney, sumMoney, unixSeconds } from '../../src/core/index.ts';
import type { ReportModel } from '../../src/reports/index.ts';
import { openAccount, type Call } from '../reports/shipped.ts';
import { few } from '../support/storm.ts';
import { truthOver, type ColumnTruth, type TrueCall } from './column-truth.ts';

const oneDay = 86_400;
const firstDay = Date.UTC(2026, 10, 10) / 1000;
const period = '2026-11-10..2026-11-14';
const dates = ['2026-11-10', '2026-11-11', '2026-11-12', '2026-11-13'];

/** The configuration states the conventions of some models; those of the others stay open. */
const rules = {
  input: { 'in-*': 'includes_cache', 'ex-*': 'excludes_cache' },
  output: { 'in-*': 'includes_reasoning', 'ex-*': 'excludes_reasoning' },
} as const;

const models = ['in-1', 'ex-1', 'open-in', 'open-ex'] as const;

/** The call as a gateway serves it that counts as the vendor of the model does. */
const served = (one: TrueCall): Call => {
  const isIn = one.model.endsWith('in') || one.model.startsWith('in');
  return {
    at: firstDay + one.day * oneDay + 43_200,
    model: one.model,
    key: one.key,
    prompt: isIn ? one.uncached + one.cached + one.written : one.uncached,
    cached: one.cached,
    cacheWrite: one.written,
    completion: isIn ? one.plain + one.reasoning : one.plain,
    reasoning: one.reasoning,
    charge: one.charge,
    kind: one.kind,
  };
};

const tokens = fc.integer({ min: 1, max: 5000 });
const maybe = fc.oneof(fc.constant(0), tokens);
const call: fc.Arbitrary<TrueCall> = fc.record({
  kind: fc.constantFrom('consumption', 'consumption', 'consumption', 'refund'),
  day: fc.integer({ min: 0, max: dates.length - 1 }),
  model: fc.constantFrom(...models),
  key: fc.constantFrom('one', 'two'),
  uncached: tokens,
  cached: maybe,
  written: maybe,
  plain: tokens,
  reasoning: maybe,
  charge: fc.integer({ min: 1, max: 9_999_999 }).map((micros) => money(`${micros}e-6`)),
});

/** A part larger than its whole would prove the convention of a model that is to stay open. */
const asDrawn = (drawnCall: TrueCall): TrueCall => {
  const one =
    drawnCall.kind === 'refund'
      ? { ...drawnCall, uncached: 0, cached: 0, written: 0, plain: 0, reasoning: 0 }
      : drawnCall;
  return one.model.startsWith('open')
    ? {
        ...one,
        cached: Math.min(one.cached, one.uncached),
        written: Math.min(one.written, one.uncached),
        reasoning: Math.min(one.reasoning, one.plain),
      }
    : one;
};

const columns = [
  'cached_tokens',
  'reasoning_tokens',
  'cache_write_tokens',
  'prompt_tokens',
  'completion_tokens',
] as const;
const missing = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.subarray(columns.slice(0, 2)) },
  { weight: 1, arbitrary: fc.subarray([...columns]) },
);

const drawn = fc.record({
  calls: fc.array(call.map(asDrawn), { minLength: 1, maxLength: 24 }),
  without: fc.tuple(missing, missing, missing, missing),
});

const cellNames = [
  'model_name',
  'service',
  'day',
  'first_day',
  'last_day',
  'split',
  'input',
  'cache_read',
  'output',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'reasoning_tokens',
  'rate_cache_read_per_rate_input',
  'token_spend_per_tokens',
] as const;
type Cells = Readonly<Record<(typeof cellNames)[number], string | null>>;

const rowsOf = (model: ReportModel, title: string): readonly Cells[] => {
  const table = model.data.tables.find((one) => one.title === title);
  const cellOf = (row: readonly (string | null)[], name: string): string | null =>
    row[table?.columns.findIndex((column) => column.name === name) ?? -1] ?? null;
  return (table?.rows ?? []).map(
    (row) => Object.fromEntries(cellNames.map((name) => [name, cellOf(row, name)])) as Cells,
  );
};

const figureOf = (model: ReportModel, label: string) =>
  model.sections
    .flatMap((section) => (section.kind === 'figures' ? section.figures : []))
    .find((figure) => figure.label === label);

const ratio = (of: bigint, by: bigint): string | null =>
  divideMoney(money(String(of)), money(String(by)), 18) ?? null;

/** A count is the truth, or the row is marked and shows at most the truth. */
const expectCount = (
  place: string,
  shown: string | null | undefined,
  truth: bigint,
  isMarked: boolean,
): void => {
  if (!isMarked) expect([place, shown ?? '0']).toEqual([place, String(truth)]);
  else if (shown !== null && shown !== undefined)
    expect(BigInt(shown) <= truth, `${place}: ${shown} of ${truth}`).toBe(true);
};

const expectRow = (place: string, row: Cells, truth: ColumnTruth): void => {
  expect([place, row.split !== null]).toEqual([place, truth.isMarked]);
  for (const [shown, of] of [
    ['input_tokens', 'input'],
    ['cached_tokens', 'cached'],
    ['output_tokens', 'output'],
    ['reasoning_tokens', 'reasoning'],
  ] as const)
    expectCount(`${place} ${of}`, row[shown], truth[of], truth.isMarked);
};

const pricePer1M = ({ charges, priced }: ColumnTruth): string | null =>
  divideMoney(multiplyMoney(sumMoney(charges), money('1000000')), money(String(priced)), 18) ?? null;

it('each figure of tokens is the truth, or is marked for exactly the days concerned, and rates are those of the calls with the columns', async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async ({ calls, without }) => {
      await using account = await openAccount(rules);
      for (const [day, lacking] of without.entries()) {
        const start = firstDay + day * oneDay;
        const days = interval(unixSeconds(start), unixSeconds(start + oneDay));
        const ofDay = calls.filter((one) => one.day === day).map(served);
        if (ofDay.length > 0) await account.land(ofDay, { days, without: lacking });
      }
      const truthOf = (pick: (one: TrueCall) => boolean): ColumnTruth => truthOver(calls, without, pick);
      const whole = truthOf(() => true);

      const economics = await account.report('token-economics', { period });
      const [inputs, outputs] = [
        rowsOf(economics, 'Input tokens by model'),
        rowsOf(economics, 'Output tokens by model'),
      ];
      const called = calls.filter(({ kind }) => kind === 'consumption');
      for (const model of new Set(called.map((one) => one.model))) {
        const truth = truthOf((one) => one.model === model);
        const row = inputs.find((one) => one.model_name === model);
        expect([model, row?.split === null]).toEqual([model, !truth.isInputMarked]);
        expectCount(`${model} input`, row?.input, truth.input, truth.isInputMarked);
        if (!truth.isInputMarked) expectCount(`${model} cached`, row?.cache_read, truth.cached, false);
        const output = outputs.find((one) => one.model_name === model);
        expect([model, output?.split === null]).toEqual([model, !truth.isOutputMarked]);
        expectCount(`${model} output`, output?.output, truth.output, truth.isOutputMarked);
        expect([
          model,
          row?.rate_cache_read_per_rate_input ?? null,
          output?.token_spend_per_tokens ?? null,
        ]).toEqual([model, ratio(truth.rateCached, truth.rateInput), pricePer1M(truth)]);
      }
      for (const report of [economics, await account.report('showback', { period })])
        expect(figureOf(report, 'Per 1M tokens')?.value.exact ?? null).toBe(pricePer1M(whole));
      expect(figureOf(economics, 'Cache hit rate')?.value.exact ?? null).toBe(
        ratio(whole.rateCached, whole.rateInput),
      );
      expect(figureOf(economics, 'Reasoning share')?.value.exact ?? null).toBe(
        ratio(whole.rateReasoning, whole.rateOutput),
      );

      const summary = await account.report('spend-summary', { period });
      expect(figureOf(summary, 'Per 1M tokens')?.value.exact ?? null).toBe(pricePer1M(whole));
      for (const row of rowsOf(summary, 'Tokens by model'))
        expectRow(
          `model ${row.model_name}`,
          row,
          truthOf((one) => one.model === row.model_name),
        );
      for (const row of rowsOf(summary, 'Tokens by key'))
        expectRow(
          `key ${row.service}`,
          row,
          truthOf((one) => one.key === row.service),
        );
      for (const row of rowsOf(summary, 'Days')) {
        const day = dates.indexOf(row.day ?? '');
        expectRow(
          `day ${row.day}`,
          row,
          truthOf((one) => one.day === day),
        );
      }

      const statement = await account.report('statement', { period });
      const all = figureOf(statement, 'Tokens');
      const isLeast = whole.leastDays.size > 0 || whole.isOpen;
      expect(all?.note?.text.startsWith('lower bound') ?? false).toBe(isLeast);
      expectCount('statement', all?.value.exact, whole.input + whole.output, isLeast);
      for (const report of [economics, summary, statement]) {
        const named = rowsOf(report, 'Days without all token counts').flatMap((row) =>
          dates.filter((date) => date >= (row.first_day ?? '') && date <= (row.last_day ?? '')),
        );
        const concerned = dates.filter((_, day) => whole.concernedDays.has(day));
        expect(dates.filter((date) => named.includes(date))).toEqual(concerned);
      }
    }),
    { numRuns: few(8, 200), endOnFailure: true },
  );
});
