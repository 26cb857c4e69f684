import type { ComposedReport } from '../../src/jobs/index.ts';
import { modelByName } from '../../src/sandbox/traffic/models.ts';
import type { OpenModels, PeriodTruth, Sums } from './account-truth.ts';
import { isExactly, isQuotient, shown, type Fraction } from './exact.ts';
import { columnMeaning, figureMeaning, type Meaning } from './meanings.ts';

export type Truths = {
  readonly now: PeriodTruth;
  /** Of the period that the report compares with; nothing where it compares with none. */
  readonly before: PeriodTruth | undefined;
  /** Charges were rounded to whole units, so that prices come out of them only nearly. */
  readonly isRounded: boolean;
};

export type Outcome = {
  readonly wrong: readonly string[];
  readonly equal: number;
  readonly unknown: number;
  readonly unknownPlaces: readonly string[];
};

const GRAINS = 100_000_000n;
const CNY_PER_USD = 7n;

const none: Sums = new Proxy({} as Sums, { get: () => 0n });

type Cell = { readonly place: string; readonly meaning: Meaning; readonly text: string | null };

/** Where a value belongs: the sums of its row, and of all rows. */
type Scope = {
  readonly name: string | undefined;
  readonly own: Sums;
  readonly before: Sums | undefined;
  readonly whole: Sums;
  /** The report says that counts of tokens are the least they can be. */
  readonly saysLeast: boolean;
  /** The report says that calls may include rows of other kinds. */
  readonly saysMost: boolean;
};

const amountKeys: ReadonlySet<string> = new Set(['spend', 'consumption', 'refunds', 'rateSpend']);

const expected = (meaning: Meaning, scope: Scope, rate: bigint): Fraction | undefined => {
  const { own, before, whole } = scope;
  switch (meaning.is) {
    case 'amount':
      return { of: own[meaning.of] * rate, by: GRAINS };
    case 'count':
      return { of: own[meaning.of], by: 1n };
    case 'quotient': {
      const by = own[meaning.by];
      if (by === 0n) return undefined;
      const of = own[meaning.of] * (meaning.times ?? 1n);
      return amountKeys.has(meaning.of) ? { of: of * rate, by: by * GRAINS } : { of, by };
    }
    case 'share':
      return whole[meaning.of] <= 0n ? undefined : { of: own[meaning.of], by: whole[meaning.of] };
    case 'change': {
      const was = before?.[meaning.of];
      return was === undefined || was <= 0n ? undefined : { of: own[meaning.of] - was, by: was };
    }
    default:
      return undefined;
  }
};

/** Calls may be more than the truth where the report says that rows of other kinds may be among them. */
const isMostOf = (meaning: Meaning): boolean =>
  (meaning.is === 'count' && meaning.of === 'calls') ||
  (meaning.is === 'quotient' && meaning.by === 'rateCalls');

const isMost = (text: string, meaning: Meaning, scope: Scope, right: Fraction): boolean =>
  isMostOf(meaning) && scope.saysMost && (meaning.is !== 'count' || BigInt(text) >= right.of);

/** A count of tokens may be lower than the truth where the report says that it is the least that it can be. */
const isLeast = (text: string, meaning: Meaning, scope: Scope, right: Fraction): boolean =>
  meaning.is === 'count' &&
  meaning.of !== 'calls' &&
  scope.own.open === 1n &&
  scope.saysLeast &&
  BigInt(text) <= right.of;

const priceIsRight = (
  text: string,
  meaning: Meaning & { is: 'price' },
  scope: Scope,
  rate: bigint,
  truths: Truths,
) => {
  const model = modelByName.get(scope.name ?? '');
  if (model === undefined) return false;
  // Grains a token are hundredths of a dollar a million tokens.
  const right = { of: BigInt(model.prices[meaning.of]) * rate, by: 100n };
  if (!truths.isRounded) return isQuotient(Number(text).toFixed(6), { ...right }) || isExactly(text, right);
  const price = Number(right.of) / 100;
  return Math.abs(Number(text) - price) <= 0.05 * price;
};

const compareReport = (report: string, { model, rendered }: ComposedReport, truths: Truths): Outcome => {
  const saysLeast = /is a lower bound|are lower bounds/u.test(rendered.text.replaceAll(/\s+/gu, ' '));
  const saysMost = /may be errors|other kinds/u.test(rendered.text.replaceAll(/\s+/gu, ' '));
  const rate = model.currency === 'CNY' ? CNY_PER_USD : 1n;
  const wrong: string[] = [];
  const unknownPlaces: string[] = [];
  let equal = 0;
  const judge = ({ place, meaning, text }: Cell, scope: Scope): void => {
    if (['name', 'other', 'mark', 'served'].includes(meaning.is)) return;
    if (meaning.is === 'price') {
      if (text === null) return;
      if (priceIsRight(text, meaning, scope, rate, truths)) equal += 1;
      else
        wrong.push(
          `${place}: a price of ${text} where ${String(modelByName.get(scope.name ?? '')?.prices[meaning.of])} grains a token are charged`,
        );
      return;
    }
    const right = expected(meaning, scope, rate);
    if (text === null) {
      // Nothing to divide by is no unknown.
      if (right !== undefined && !(meaning.is === 'count' && right.of === 0n)) unknownPlaces.push(place);
      return;
    }
    if (right === undefined) {
      wrong.push(`${place}: ${text} where nothing can be computed`);
      return;
    }
    const isRight =
      meaning.is === 'amount' || meaning.is === 'count' ? isExactly(text, right) : isQuotient(text, right);
    if (isRight) equal += 1;
    else if (isLeast(text, meaning, scope, right) || isMost(text, meaning, scope, right))
      unknownPlaces.push(place);
    else wrong.push(`${place}: ${text} instead of ${shown(right)}`);
  };

  for (const table of model.data.tables) {
    const meanings = table.columns.map(({ name }) => columnMeaning(`${report}/${table.name}`, name));
    const at = meanings.findIndex(({ is }) => is === 'name');
    const named = meanings[at];
    if (named?.is !== 'name') continue;
    const [now, before] = [truths.now.by(named.of), truths.before?.by(named.of)];
    const seen = new Set<string>();
    for (const row of table.rows) {
      const name = row[at] ?? '';
      seen.add(name);
      const scope: Scope = {
        name,
        own: now.get(name) ?? none,
        before: truths.before === undefined ? undefined : (before?.get(name) ?? none),
        whole: truths.now.all,
        saysLeast,
        saysMost,
      };
      for (const [column, meaning] of meanings.entries())
        judge(
          {
            place: `${report}/${table.name}/${name}/${table.columns[column]?.name ?? ''}`,
            meaning,
            text: row[column] ?? null,
          },
          scope,
        );
    }
    const isWhole = meanings.some((meaning) => meaning.is === 'amount' && meaning.of === 'spend');
    const isOfTokens = meanings.some(({ is }) => is === 'price') || !isWhole || table.name.includes('saved');
    for (const [name, sums] of now)
      if (!isOfTokens && sums.spend !== 0n && !seen.has(name))
        wrong.push(`${report}/${table.name}: ${named.of} "${name}" is missing`);
    if (table.total === undefined) continue;
    const listed = table.rows.map((row) => now.get(row[at] ?? '') ?? none);
    const sum = (key: keyof Sums): bigint => {
      const all = listed.reduce((one, next) => one + next[key], 0n);
      return key === 'open' && all > 0n ? 1n : all;
    };
    const total: Scope = {
      name: undefined,
      own: isOfTokens ? new Proxy({} as Sums, { get: (_, key) => sum(key as keyof Sums) }) : truths.now.all,
      before: truths.before?.all,
      whole: truths.now.all,
      saysLeast,
      saysMost,
    };
    for (const [column, meaning] of meanings.entries()) {
      if (meaning.is === 'share') continue;
      judge(
        {
          place: `${report}/${table.name}/total/${table.columns[column]?.name ?? ''}`,
          meaning,
          text: table.total[column] ?? null,
        },
        total,
      );
    }
  }

  const { figures } = model.data;
  const [labels, values, changes] = ['figure', 'value', 'change'].map((name) =>
    figures.columns.findIndex((column) => column.name === name),
  );
  for (const row of figures.rows) {
    const label = row[labels ?? -1] ?? '';
    const meaning = figureMeaning(report, label);
    const scope: Scope = {
      name: undefined,
      own: truths.now.all,
      before: truths.before?.all,
      whole: truths.now.all,
      saysLeast,
      saysMost,
    };
    judge({ place: `${report}/figures/${label}`, meaning, text: row[values ?? -1] ?? null }, scope);
    const change = row[changes ?? -1] ?? null;
    const isOwn = meaning.is === 'amount' && meaning.isComparedOtherwise === true;
    if (change === null || truths.before === undefined || isOwn) continue;
    const [isNow, was] = [
      expected(meaning, scope, rate),
      expected(meaning, { ...scope, own: truths.before.all }, rate),
    ];
    if (isNow === undefined || was === undefined || was.of === 0n) continue;
    const right = { of: isNow.of * was.by - was.of * isNow.by, by: was.of * isNow.by };
    const isOfCalls = isMostOf(meaning) && saysMost;
    if (isQuotient(change, right)) equal += 1;
    else if (isOfCalls) unknownPlaces.push(`${report}/figures/${label}/change`);
    else wrong.push(`${report}/figures/${label}/change: ${change} instead of ${shown(right)}`);
  }
  return { wrong, equal, unknown: unknownPlaces.length, unknownPlaces };
};

export { compareReport };

/** Models whose counts token-economics marks as unknown. */
export const openModelsOf = (composed: readonly ComposedReport[]): OpenModels => {
  const marked = (tableName: string): ReadonlySet<string> =>
    new Set(
      composed.flatMap(({ model }) => {
        const table = model.data.tables.find(({ name }) => name === tableName);
        const [name, split] = ['model_name', 'split'].map((wanted) =>
          (table?.columns ?? []).findIndex((column) => column.name === wanted),
        );
        return (table?.rows ?? []).flatMap((row) =>
          row[split ?? -1] === 'unknown' ? [row[name ?? -1] ?? ''] : [],
        );
      }),
    );
  return { input: marked('input-tokens-by-model'), output: marked('output-tokens-by-model') };
};
