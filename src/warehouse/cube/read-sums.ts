import { interval, money, runsOf, type Interval, type Money, type UnixSeconds } from '../../core/index.ts';
import { countedClasses, type TokenClass } from '../tokens/class-names.ts';
import { text, wholeNumber, type AccountRows, type Row } from '../../storage/index.ts';
import { valueOfServed } from '../spend.ts';
import { inCurrency, servedAs } from './aggregates.ts';
import { rollupTables } from '../rollup/cells.ts';
import { readServices, serviceIn } from './services.ts';

export type SumsRequest = {
  readonly account: string;
  /** The zone whose days the rollup has: bounds within a day are read from its calls. */
  readonly zone: string;
  /** Ascending; each two that follow each other bound a segment, which includes the first and excludes the second. */
  readonly bounds: readonly UnixSeconds[];
  /** Segments that are not needed, for example between two periods, are not read. */
  readonly segments: ReadonlySet<number>;
  /** Whether the tokens by class are needed: that scan costs several times as much. */
  readonly tokens: boolean;
  /** Read as of the same moment. */
  readonly by: readonly SumsBy[];
};

/** What sums are grouped by; a name that they are not grouped by is empty. There are far more pairs than models and keys. */
export type SumsBy = keyof typeof namesBy;

const namesBy = {
  model: ['model_name'],
  key: ['token_name'],
  pair: ['model_name', 'token_name'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Sums over the calls and refunds of one segment and model, key, or pair of both. */
export type SegmentSums = {
  /** The position of its first bound. */
  readonly segment: number;
  readonly model: string;
  readonly key: string;
  readonly service: string;
  readonly calls: number;
  /** Consumption, in the currency of the account. */
  readonly charge: Money;
  /** As a positive amount. */
  readonly refunds: Money;
  readonly tokens: Readonly<Partial<Record<TokenClass, bigint>>>;
  /** Calls of which the export does not state all tokens; 0 where tokens are not read. */
  readonly unstatedCalls: number;
};

export type Sums = {
  /** Empty where they were not requested. */
  readonly sums: Readonly<Record<SumsBy, readonly SegmentSums[]>>;
  /** Whether the unit of the amounts is proven; otherwise they mean nothing. */
  readonly isProven: boolean;
  /** The currency of the amounts; undefined before the first landing. */
  readonly currency: string | undefined;
};

/** What `readSums` reads. */
export const sumsTables = ['log_amounts', 'key_lineage', ...rollupTables] as const;

/** Consecutive segments that are read in one scan. */
const scansOf = (segments: ReadonlySet<number>) =>
  runsOf(
    [...segments].toSorted((left, right) => left - right),
    (last, next) => next === last + 1,
  );

/** The ranges that the segments cover. */
export const rangesOf = ({
  bounds,
  segments,
}: Pick<SumsRequest, 'bounds' | 'segments'>): readonly Interval<UnixSeconds>[] =>
  scansOf(segments).flatMap((run) => {
    const [start, end] = [bounds[run[0] ?? 0], bounds[(run.at(-1) ?? 0) + 1]];
    return start === undefined || end === undefined || end <= start ? [] : [interval(start, end)];
  });

/** The segment of a call; the numbers in the SQL come from code. */
const segmentSql = (run: readonly number[], bounds: readonly UnixSeconds[]): string => {
  const last = run.at(-1) ?? 0;
  const earlier = run.slice(0, -1);
  return earlier.length === 0
    ? String(last)
    : `CASE ${earlier.map((segment) => `WHEN created_at < ${bounds[segment + 1]} THEN ${segment}`).join(' ')} ELSE ${last} END`;
};

const totals = { input: 'input_tokens', output: 'output_tokens' } as const;

/** Unclassified tokens are what the classes leave of the total: their sum by call would cost a fifth of the scan. */
const summed = [...countedClasses.filter((name) => !name.includes('unclassified')), ...Object.values(totals)];

const tokensOf = (row: Row): SegmentSums['tokens'] => {
  const tokens: Partial<Record<TokenClass, bigint>> = {};
  const rest = { input: 0n, output: 0n };
  for (const side of ['input', 'output'] as const) rest[side] = BigInt(String(row[totals[side]] ?? 0));
  for (const name of countedClasses) {
    const value = row[name];
    if (typeof value !== 'string' || value === '0') continue;
    tokens[name] = BigInt(value);
    rest[name.startsWith('input') ? 'input' : 'output'] -= BigInt(value);
  }
  if (rest.input > 0n) tokens.input_unclassified_tokens = rest.input;
  if (rest.output > 0n) tokens.output_unclassified_tokens = rest.output;
  return tokens;
};

export const readSums = async (
  { connection, rollup }: AccountRows,
  { account, zone, bounds, segments, tokens, by }: SumsRequest,
): Promise<Sums> => {
  const amounts = await valueOfServed(connection, account);
  const { value, currency, isProven } = amounts;
  const served = servedAs(amounts);
  const serviceOf = serviceIn(await readServices(connection, account));
  const cellsIn = rollup(zone);
  const sums: Record<SumsBy, SegmentSums[]> = { model: [], key: [], pair: [] };
  const scans = by.flatMap((one) => scansOf(segments).map((run) => ({ one, run })));
  for (const { one, run } of scans) {
    const [start, end] = [bounds[run[0] ?? 0], bounds[(run.at(-1) ?? 0) + 1]];
    if (start === undefined || end === undefined || end <= start) continue;
    const range: Interval<UnixSeconds> = interval(start, end);
    const names: readonly string[] = namesBy[one];
    const nameSql = (name: string): string => (names.includes(name) ? name : `'' AS ${name}`);
    const columns = [...names, ...(tokens ? ['input_counts', 'output_counts', ...summed] : [])];
    const relation = await cellsIn(range, columns, bounds);
    const unstated = `, coalesce(sum(row_count) FILTER (kind = 'consumption' AND (input_counts <> 'known' OR output_counts <> 'known')), 0) AS unstated`;
    // NULL in place of 0 is not converted to a number and back: most classes of most cells are 0.
    const classes = tokens
      ? summed.map((name) => `, nullif(sum(${name}), 0) AS ${name}`).join('') + unstated
      : '';
    const rows = await connection.rows(
      `SELECT CAST(${segmentSql(run, bounds)} AS INTEGER) AS segment, ${nameSql('model_name')}, ${nameSql('token_name')},
         coalesce(sum(row_count) FILTER (kind = 'consumption'), 0) AS calls,
         ${inCurrency(`coalesce(sum(quota) FILTER (kind = 'consumption'), 0)`, served)} AS charge,
         ${inCurrency(`coalesce(sum(size) FILTER (kind = 'refund'), 0)`, served)} AS refunds
         ${classes}
       FROM ${relation.sql}
       WHERE account = $account AND created_at >= $start AND created_at < $end
         AND kind IN ('consumption', 'refund')
       GROUP BY ALL`,
      {
        ...relation.bindings,
        account,
        start: range.start,
        end: range.end,
        ...(served.inUnits ? { value } : {}),
      },
    );
    for (const row of rows) {
      const key = text(row, 'token_name');
      sums[one].push({
        segment: wholeNumber(row, 'segment'),
        model: text(row, 'model_name'),
        key,
        service: one === 'model' ? '' : serviceOf(key),
        calls: wholeNumber(row, 'calls'),
        charge: money(text(row, 'charge')),
        refunds: money(text(row, 'refunds')),
        tokens: tokens ? tokensOf(row) : {},
        unstatedCalls: tokens ? wholeNumber(row, 'unstated') : 0,
      });
    }
  }
  return { sums, isProven, currency };
};
