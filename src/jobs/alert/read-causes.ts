import { addMoney, dateAt, localDays, money, unixSeconds, zero } from '../../core/index.ts';
import type { Interval, UnixSeconds } from '../../core/index.ts';
import { explainChange, inScope, segmentsOf } from '../../monitoring/index.ts';
import type {
  Assessment,
  ChangedCell,
  ClassPrices,
  PlannedPeriod,
  ScopeRules,
  Usage,
} from '../../monitoring/index.ts';
import { describeCause, localeOf } from '../../reports/index.ts';
import { countedClasses } from '../../warehouse/index.ts';
import type { SegmentSums } from '../../warehouse/index.ts';
import { nobodyPays } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';

type Range = Interval<UnixSeconds>;
type Asked = { readonly planned: PlannedPeriod; readonly assessment: Assessment };
type Context = Pick<JobContext, 'account' | 'warehouse' | 'costOwners' | 'signal'>;

/** Prices by class: those of the configuration, else estimated from the charges. Only their ratios count. */
const pricesSql = `
  WITH configured AS (SELECT * FROM prices WHERE currency = (SELECT currency FROM run)),
  price AS (
    SELECT model_name, input, cached, cache_write, audio_input, image, output, coalesce(reasoning, output) AS reasoning,
      audio_output
    FROM configured
    UNION ALL
    SELECT model_name, input, cached, cache_write, audio_input, image, output, reasoning, audio_output
    FROM fitted_prices WHERE model_name NOT IN (SELECT model_name FROM configured)
  )
  SELECT model_name, input AS input_uncached_tokens, cached AS input_cache_read_tokens,
    cache_write AS input_cache_write_tokens, audio_input AS input_audio_tokens, image AS input_image_tokens,
    output AS output_plain_tokens, reasoning AS output_reasoning_tokens, audio_output AS output_audio_tokens
  FROM price`;

/** Days from which prices are estimated. */
const priceDays = 7 * 86_400;

const readPrices = async (
  through: UnixSeconds,
  { account, warehouse, costOwners = nobodyPays, signal }: Context,
): Promise<ReadonlyMap<string, ClassPrices>> => {
  const days = localDays(
    dateAt(unixSeconds(through - priceDays), 'UTC'),
    dateAt(unixSeconds(through - 1), 'UTC'),
    'UTC',
  );
  const table = await warehouse.readCube(
    {
      account: account.name,
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

const added = (left: Usage, right: SegmentSums): Usage => ({
  calls: left.calls + right.calls,
  tokens: Object.fromEntries(
    countedClasses.flatMap((name) => {
      const sum = (left.tokens[name] ?? 0n) + (right.tokens[name] ?? 0n);
      return sum === 0n ? [] : [[name, sum]];
    }),
  ),
  charge: addMoney(left.charge, right.charge),
  refunds: addMoney(left.refunds, right.refunds),
});

const within = ({ start, end }: Range, bound: UnixSeconds | undefined): boolean =>
  bound !== undefined && bound >= start && bound < end;

/** The cells of one scope, in its period so far and in the compared part of the period before. */
const cellsOf = (
  { planned: { elapsed, compared }, assessment: { budget } }: Asked,
  sums: readonly SegmentSums[],
  bounds: readonly UnixSeconds[],
  rules: ScopeRules,
): readonly ChangedCell[] => {
  const cells = new Map<string, { model: string; key: string; before: Usage; after: Usage }>();
  for (const one of sums) {
    const bound = bounds[one.segment];
    const period = within(elapsed, bound) ? 'after' : within(compared, bound) ? 'before' : undefined;
    if (period === undefined || !inScope(budget.scope, one, rules)) continue;
    // By service: a rotation of a key is no change of who calls.
    const name = JSON.stringify([one.model, one.service]);
    const cell = cells.get(name) ?? { model: one.model, key: one.service, before: nothing, after: nothing };
    cell[period] = added(cell[period], one);
    cells.set(name, cell);
  }
  return [...cells.values()];
};

/**
 * The main cause of the change of each against the same part of the period before, as a sentence. Without one where the
 * earlier part is not in the call log as a whole, or nothing has changed.
 */
export const readCauses = async (
  asked: readonly Asked[],
  context: Context,
): Promise<ReadonlyMap<Assessment, string>> => {
  const { account, warehouse, costOwners = nobodyPays, signal } = context;
  const covered = await warehouse.logs.watermark(account.name);
  const explained = asked.filter(
    ({ planned: { compared, elapsed }, assessment: { reason } }) =>
      reason === undefined &&
      elapsed.end > elapsed.start &&
      covered !== undefined &&
      covered.start <= compared.start,
  );
  const [first] = explained;
  if (first === undefined) return new Map();
  const { bounds, segments } = segmentsOf(
    explained.flatMap(({ planned: { elapsed, compared } }) => [elapsed, compared]),
  );
  const { cells } = await warehouse.sums({ account: account.name, bounds, segments, tokens: true }, signal);
  const prices = await readPrices(first.planned.elapsed.end, context);
  const rules = { teams: costOwners.teams, tags: costOwners.tags ?? [] };
  return new Map(
    explained.flatMap((one) => {
      const waterfall = explainChange(cellsOf(one, cells, bounds, rules), (model) => prices.get(model));
      const cause = describeCause(waterfall, one.assessment.budget.currency, localeOf('en'));
      return cause === undefined ? [] : [[one.assessment, cause.text] as const];
    }),
  );
};
