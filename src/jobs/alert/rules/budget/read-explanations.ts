import {
  compareMoney,
  dateAt,
  groupBy,
  localDays,
  money,
  pricedTokens,
  sumMoney,
  together,
  unixSeconds,
  zero,
  type Interval,
  type UnixSeconds,
} from '../../../../core/index.ts';
import {
  createExplainer,
  inScope,
  segmentsOf,
  type Assessment,
  type Budget,
  type ChangedCell,
  type PlannedPeriod,
  type ScopeRules,
  type Usage,
} from '../../../../monitoring/index.ts';
import { localeOf } from '../../../../messages/index.ts';
import { describeCause, type AlertBlock } from '../../../../reports/index.ts';
import {
  countedClasses,
  sumTokens,
  type ClassPrices,
  type SegmentSums,
} from '../../../../warehouse/index.ts';
import { noCostOwners } from '../../../cost-owners.ts';
import type { JobContext } from '../../../job-kind.ts';
import { zoneOfMost } from './read-budgets.ts';
import { spendTables } from './spend-parts.ts';

type Range = Interval<UnixSeconds>;
type Asked = { readonly planned: PlannedPeriod; readonly assessment: Assessment };
type Context = Pick<JobContext, 'account' | 'warehouse' | 'costOwners' | 'locale' | 'signal'>;

/** Prices by class: those of the configuration, else estimated from the charges. Only their ratios count. */
const pricesSql = `
  WITH configured AS (SELECT * FROM prices WHERE currency = (SELECT currency FROM run)),
  price AS (
    SELECT model_name, ${pricedTokens.map(({ price, otherwise }) => (otherwise === undefined ? price : `coalesce(${price}, ${otherwise}) AS ${price}`)).join(', ')}
    FROM configured
    UNION ALL
    SELECT model_name, ${pricedTokens.map(({ price }) => price).join(', ')}
    FROM recent_fitted_prices WHERE model_name NOT IN (SELECT model_name FROM configured)
  )
  SELECT model_name, ${pricedTokens.map((one) => `${one.price} AS ${one.class}`).join(', ')}
  FROM price`;

/** Seconds of the call log from which prices are estimated. */
const priceDays = 7 * 86_400;

const readPrices = async (
  through: UnixSeconds,
  zone: string,
  { account, warehouse, costOwners = noCostOwners, signal }: Context,
): Promise<ReadonlyMap<string, ClassPrices>> => {
  const days = localDays(
    dateAt(unixSeconds(through - priceDays), zone),
    dateAt(unixSeconds(through - 1), zone),
    zone,
  );
  const table = await warehouse.readCube(
    {
      account: account.name,
      zone,
      periods: [{ name: 'current', days }],
      prices: costOwners.prices,
      queries: [pricesSql],
      signal,
    },
    async (query) => query(pricesSql),
  );
  const position = new Map(table.columns.map(({ name }, at) => [name, at]));
  return new Map(
    table.rows.map((row) => [
      String(row[0]),
      Object.fromEntries(
        countedClasses.flatMap((name) => {
          const at = position.get(name);
          const price = at === undefined ? undefined : row[at];
          return price === undefined || price === null ? [] : [[name, money(String(price))]];
        }),
      ),
    ]),
  );
};

const nothing: Usage = { calls: 0, tokens: {}, charge: zero, refunds: zero };

const sumOf = (parts: readonly Usage[]): Usage => {
  const [first] = parts;
  if (first === undefined) return nothing;
  if (parts.length === 1) return first;
  return {
    calls: parts.reduce((total, { calls }) => total + calls, 0),
    tokens: sumTokens(parts),
    unstatedCalls: parts.reduce((total, { unstatedCalls = 0 }) => total + unstatedCalls, 0),
    charge: sumMoney(parts.map(({ charge }) => charge)),
    refunds: sumMoney(parts.map(({ refunds }) => refunds)),
  };
};

const within = ({ start, end }: Range, bound: UnixSeconds | undefined): boolean =>
  bound !== undefined && bound >= start && bound < end;

/** The compared part of the previous period, and a period so far. */
type Compared = Readonly<Record<'before' | 'after', Range>>;

/** A model and key, with the usage of the model by its service in both; one without any is left out. */
type Pair = Pick<SegmentSums, 'model' | 'key' | 'service'> & { readonly cell: ChangedCell };

/** `byPair`: the sums of each pair, over all segments. */
const pairsOf = (
  byPair: Iterable<readonly [SegmentSums, ...SegmentSums[]]>,
  bounds: readonly UnixSeconds[],
  { before, after }: Compared,
): readonly Pair[] => {
  const usageIn = (same: readonly SegmentSums[], range: Range): Usage =>
    sumOf(same.filter(({ segment }) => within(range, bounds[segment])));
  return [...byPair].flatMap((same) => {
    const [{ model, key, service }] = same;
    const usage = { before: usageIn(same, before), after: usageIn(same, after) };
    return usage.before === nothing && usage.after === nothing
      ? []
      : [{ model, key, service, cell: { model, key: service, ...usage } }];
  });
};

/** The pairs of a scope. Models or keys are matched in place of pairs, which are many more. */
type PairsIn = (scope: Budget['scope']) => readonly Pair[];

const pairsInScope = (pairs: readonly Pair[], rules: ScopeRules): PairsIn => {
  const byModel = [...groupBy(pairs, ({ model }) => model).values()];
  const byKey = [...groupBy(pairs, ({ key }) => key).values()];
  return (scope) =>
    scope.kind === 'account'
      ? pairs
      : (scope.kind === 'model' ? byModel : byKey).flatMap((group) =>
          inScope(scope, group[0], rules) ? group : [],
        );
};

/** By service: a rotation changes the key, not the caller. */
const byService = (pairs: readonly Pair[]): readonly ChangedCell[] =>
  [...groupBy(pairs, ({ model, service }) => `${model}\n${service}`).values()].map((same) =>
    same.length === 1
      ? same[0].cell
      : {
          ...same[0].cell,
          before: sumOf(same.map(({ cell: { before } }) => before)),
          after: sumOf(same.map(({ cell: { after } }) => after)),
        },
  );

/** Where the spend of a period went, and why it rose. */
export type Explanation = {
  readonly tables: readonly NonNullable<AlertBlock['tables']>[number][];
  /** The main cause of a rise against the same part of the previous period, as a sentence. */
  readonly cause?: string;
};

/** The cause needs the complete call log of the compared part. */
const isComparable = (
  { planned: { compared }, assessment: { reason } }: Asked,
  covered: Range | undefined,
): boolean => reason === undefined && covered !== undefined && covered.start <= compared.start;

export const readExplanations = async (
  asked: readonly Asked[],
  context: Context,
): Promise<ReadonlyMap<Assessment, Explanation>> => {
  const { account, warehouse, costOwners = noCostOwners, signal } = context;
  const explained = asked.filter(
    ({ planned: { elapsed }, assessment: { spend } }) => spend !== undefined && elapsed.end > elapsed.start,
  );
  if (explained.length === 0) return new Map();
  const covered = await warehouse.logs.watermark(account.name);
  const compared = explained.filter((one) => isComparable(one, covered));
  const { bounds, segments } = segmentsOf([
    ...explained.map(({ planned }) => planned.elapsed),
    ...compared.map(({ planned }) => planned.compared),
  ]);
  const zone = zoneOfMost(explained.map(({ assessment }) => assessment.budget));
  const [first] = compared;
  const [{ sums }, prices] = await together([
    warehouse.sums({ account: account.name, zone, bounds, segments, tokens: true, by: ['pair'] }, signal),
    first === undefined
      ? new Map<string, ClassPrices>()
      : readPrices(first.planned.elapsed.end, zone, context),
  ]);
  const rules = { teams: costOwners.teams, tags: costOwners.tags ?? [] };
  const locale = localeOf(context.locale);
  const byPair = [...groupBy(sums.pair, ({ model, key }) => `${model}\n${key}`).values()];
  // Scopes are many, periods a few.
  const byPeriod = new Map<string, PairsIn>();
  const pairsIn = ({ elapsed: after, compared: before }: PlannedPeriod): PairsIn => {
    const name = JSON.stringify([before, after]);
    const pairs = byPeriod.get(name) ?? pairsInScope(pairsOf(byPair, bounds, { before, after }), rules);
    byPeriod.set(name, pairs);
    return pairs;
  };
  const explainChange = createExplainer((model) => prices.get(model));
  const explain = (one: Asked): Explanation => {
    const { currency, scope } = one.assessment.budget;
    const changes = byService(pairsIn(one.planned)(scope));
    const tables = spendTables(changes, currency, locale);
    if (!compared.includes(one)) return { tables };
    const waterfall = explainChange(changes);
    // A fall explains no alert.
    if (compareMoney(waterfall.change, zero) <= 0) return { tables };
    const cause = describeCause(waterfall, currency, locale)?.text;
    return { tables, ...(cause === undefined ? {} : { cause }) };
  };
  // Many budgets differ only in their amount.
  const known = new Map<string, Explanation>();
  return new Map(
    explained.map((one): readonly [Assessment, Explanation] => {
      const { scope, currency } = one.assessment.budget;
      const { elapsed, compared: before } = one.planned;
      const name = JSON.stringify([scope, currency, elapsed, before, compared.includes(one)]);
      const explanation = known.get(name) ?? explain(one);
      known.set(name, explanation);
      return [one.assessment, explanation];
    }),
  );
};
