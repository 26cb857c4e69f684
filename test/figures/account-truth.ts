import { DateTime } from 'luxon';
import type { TruthRow } from '../../src/sandbox/index.ts';
import { grainsOf } from './exact.ts';

/** Sums over rows of the sandbox: amounts in grains (0.00000001 USD), tokens and calls of consumption alone. */
export type Sums = {
  readonly calls: bigint;
  readonly consumption: bigint;
  readonly refunds: bigint;
  /** Consumption plus refunds, which are negative. */
  readonly spend: bigint;
  readonly input: bigint;
  readonly uncached: bigint;
  readonly cacheRead: bigint;
  readonly cacheWrite: bigint;
  readonly audioInput: bigint;
  readonly image: bigint;
  readonly output: bigint;
  readonly plain: bigint;
  readonly reasoning: bigint;
  readonly audioOutput: bigint;
  readonly tokens: bigint;
  /** Of models with tokens whose counts a report can know: spend, calls and tokens behind its rates. */
  readonly rateSpend: bigint;
  readonly rateCalls: bigint;
  readonly rateTokens: bigint;
  /** Of models whose split of the input is known. */
  readonly rateInput: bigint;
  readonly rateCacheRead: bigint;
  /** Of models whose split of the output is known. */
  readonly rateOutput: bigint;
  readonly rateReasoning: bigint;
  /** 1 where calls of a model with an unknown split are among them. */
  readonly open: bigint;
};

/** Models of which nothing tells whether the counts of prompt or completion hold the cached or the reasoning tokens. */
export type OpenModels = { readonly input: ReadonlySet<string>; readonly output: ReadonlySet<string> };

const counts = {
  calls: 0n,
  uncached: 0n,
  cacheRead: 0n,
  cacheWrite: 0n,
  audioInput: 0n,
  image: 0n,
  output: 0n,
  reasoning: 0n,
  audioOutput: 0n,
};
type Counts = { -readonly [Name in keyof typeof counts]: bigint };
type OfModel = Counts & { consumption: bigint; refunds: bigint };

const add = (to: OfModel, row: TruthRow): void => {
  if (row.kind === 'refund') {
    to.refunds += grainsOf(row.quota);
    return;
  }
  to.consumption += grainsOf(row.quota);
  to.calls += 1n;
  to.uncached += BigInt(row.text);
  to.cacheRead += BigInt(row.cached);
  to.cacheWrite += BigInt(row.cacheWrite);
  to.audioInput += BigInt(row.audioInput);
  to.image += BigInt(row.imageInput);
  to.output += BigInt(row.completion);
  to.reasoning += BigInt(row.reasoning);
  to.audioOutput += BigInt(row.audioOutput);
};

const inputOf = (one: Counts): bigint =>
  one.uncached + one.cacheRead + one.cacheWrite + one.audioInput + one.image;

const sumOf = (rows: readonly TruthRow[], open: OpenModels): Sums => {
  const byModel = new Map<string, OfModel>();
  for (const row of rows) {
    if (row.kind !== 'consumption' && row.kind !== 'refund') continue;
    const model = byModel.get(row.model) ?? { ...counts, consumption: 0n, refunds: 0n };
    byModel.set(row.model, model);
    add(model, row);
  }
  const models = [...byModel].map(([name, one]) => ({
    ...one,
    input: inputOf(one),
    spend: one.consumption + one.refunds,
    isInputOpen: open.input.has(name) && one.cacheRead + one.cacheWrite > 0n,
    isOutputOpen: open.output.has(name) && one.reasoning > 0n,
  }));
  type OneModel = (typeof models)[number];
  const sum = (of: (one: OneModel) => bigint, holds: (one: OneModel) => boolean = () => true): bigint =>
    models.filter(holds).reduce((all, one) => all + of(one), 0n);
  const tokensOf = (one: OneModel): bigint => one.input + one.output;
  const isRated = (one: OneModel): boolean => !one.isInputOpen && !one.isOutputOpen && tokensOf(one) > 0n;
  const [input, output] = [sum((one) => one.input), sum((one) => one.output)];
  const [reasoning, audioOutput] = [sum((one) => one.reasoning), sum((one) => one.audioOutput)];
  return {
    calls: sum((one) => one.calls),
    consumption: sum((one) => one.consumption),
    refunds: sum((one) => one.refunds),
    spend: sum((one) => one.spend),
    uncached: sum((one) => one.uncached),
    cacheRead: sum((one) => one.cacheRead),
    cacheWrite: sum((one) => one.cacheWrite),
    audioInput: sum((one) => one.audioInput),
    image: sum((one) => one.image),
    input,
    output,
    plain: output - reasoning - audioOutput,
    reasoning,
    audioOutput,
    tokens: input + output,
    rateSpend: sum((one) => one.spend, isRated),
    rateCalls: sum((one) => one.calls, isRated),
    rateTokens: sum(tokensOf, isRated),
    rateInput: sum(
      (one) => one.input,
      (one) => !one.isInputOpen,
    ),
    rateCacheRead: sum(
      (one) => one.cacheRead,
      (one) => !one.isInputOpen,
    ),
    rateOutput: sum(
      (one) => one.output,
      (one) => !one.isOutputOpen,
    ),
    rateReasoning: sum(
      (one) => one.reasoning,
      (one) => !one.isOutputOpen,
    ),
    open: models.some((one) => one.isInputOpen || one.isOutputOpen) ? 1n : 0n,
  };
};

export const dimensions = ['model', 'key', 'day', 'team'] as const;
export type Dimension = (typeof dimensions)[number];

/** What a period of the account truly holds. */
export type PeriodTruth = {
  readonly all: Sums;
  readonly rows: readonly TruthRow[];
  /** Sums by the name of a model, key, local day (`2026-10-25`) or team. */
  readonly by: (dimension: Dimension) => ReadonlyMap<string, Sums>;
};

/** Refunds of tasks carry no key, and are a row of their own. */
const refundsWithoutKey = 'Refunds without a key';

export type Teams = readonly { readonly name: string; readonly prefix: string }[];

export const truthOf = (
  rows: readonly TruthRow[],
  zone: string,
  teams: Teams,
  open: OpenModels,
): PeriodTruth => {
  const nameOf: Readonly<Record<Dimension, (row: TruthRow) => string>> = {
    model: (row) => row.model,
    key: ({ token, kind }) => (token === '' && kind === 'refund' ? refundsWithoutKey : token),
    day: (row) => DateTime.fromSeconds(row.createdAt, { zone }).toISODate() ?? '',
    team: (row) => teams.find(({ prefix }) => row.token.startsWith(prefix))?.name ?? '',
  };
  return {
    rows,
    all: sumOf(rows, open),
    by: (dimension) => {
      const groups = new Map<string, TruthRow[]>();
      for (const row of rows) {
        if (row.kind !== 'consumption' && row.kind !== 'refund') continue;
        const name = nameOf[dimension](row);
        groups.set(name, [...(groups.get(name) ?? []), row]);
      }
      return new Map([...groups].map(([name, group]) => [name, sumOf(group, open)]));
    },
  };
};
