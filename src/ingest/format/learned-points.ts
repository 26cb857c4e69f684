import {
  countText,
  formatMoment,
  timeFormOf,
  tokenColumns,
  type GatewayProfile,
  type Interval,
  type LogExportFormat,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import type { LearnedPoint, LogColumn, Warehouse } from '../../warehouse/index.ts';
import type { ProbedExport } from './learn-logs.ts';

/** Limit for a stored text from a gateway. */
const longest = 2000;

const listed = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.join(', ').slice(0, longest);

const describeRange = ({ start, end }: Interval<UnixSeconds>): string =>
  `${formatMoment(start, 'UTC')} to ${formatMoment(end, 'UTC')}`;

const yes = (is: boolean): string => (is ? 'yes' : 'no');

const isTokens: ReadonlySet<string> = new Set(tokenColumns);

const countsTokens = ({ name, role }: LogColumn): boolean =>
  role === undefined ? /tokens$/i.test(name.trim()) : isTokens.has(role);

const holdsMoney = ({ name, role }: LogColumn): boolean =>
  role === undefined
    ? /(^|[_ ])(quota|cost|amount|price|fee|charge)s?($|[_ ])/i.test(name.trim())
    : role === 'quota';

const columnNames = (columns: readonly LogColumn[], wanted: (column: LogColumn) => boolean): string =>
  listed(
    columns.filter(wanted).map(({ name, role }) => (role === undefined ? `${name} (kept as text)` : name)),
  );

/** The roles of the columns; `answered` are those served when requested by name. */
export const columnPoints = (
  probed: ProbedExport,
  answered: readonly LogColumn[] | undefined,
): readonly LearnedPoint[] => {
  const all = [
    ...new Map([...probed.columns, ...(answered ?? [])].map((column) => [column.name, column])).values(),
  ];
  if (all.length === 0) return [];
  const byName = all.length - probed.columns.length;
  const evidence = `${probed.columns.length} columns in an export requested without a list of columns${byName > 0 ? `, ${byName} more when requested by name` : ''}`;
  const of = (point: string, value: string): LearnedPoint => ({ point, value, evidence, how: 'probe' });
  return [
    of('log.columns', listed(all.map(({ name }) => name))),
    of(
      'log.roles',
      listed(
        all.flatMap(({ name, role }) =>
          role === undefined ? [] : [role === name ? role : `${role} as ${name}`],
        ),
      ),
    ),
    of('log.token_columns', columnNames(all, countsTokens)),
    of('log.money_columns', columnNames(all, holdsMoney)),
  ];
};

const inConfig = (setting: string): string => `gateway.${setting} of the account in tollkeeper.yaml`;

/** The point, from the YAML if a setting states it. */
const configured = (setting: unknown, name: string, point: LearnedPoint): LearnedPoint =>
  setting === undefined ? point : { ...point, how: 'config', evidence: inConfig(name) };

/** How exports begin and end, by the probe or the YAML. */
export const probePoints = (probed: ProbedExport, format: LogExportFormat = {}): readonly LearnedPoint[] => {
  const { asked, titleLines, endsLines, totalLine, emptyWithoutRows } = probed;
  const seconds = asked.end - asked.start;
  const evidence = `an export of ${countText(seconds, 'second')} from ${formatMoment(asked.start, 'UTC')}, requested without a list of columns`;
  const of = (point: string, value: string): LearnedPoint => ({ point, value, evidence, how: 'probe' });
  const empty = of('log.empty_export', emptyWithoutRows ? 'an empty body' : 'a header');
  if (titleLines === undefined) return [empty];
  return [
    empty,
    of('log.ends_lines', yes(endsLines)),
    configured(
      format.titleLines,
      'title_lines',
      of('log.title_line', titleLines === 0 ? 'no' : `${titleLines} before the header`),
    ),
    configured(format.totalLine, 'total_line', of('log.total_line', yes(totalLine))),
  ];
};

/** The format of `created_at`, by a cell of the first rows. */
export const timePoints = (cell: string | undefined, profile: GatewayProfile): readonly LearnedPoint[] => {
  const found = cell === undefined ? undefined : timeFormOf(cell);
  const set = profile.timestamps === 'auto' ? undefined : profile.timestamps;
  const value = set ?? found;
  if (value === undefined) return [];
  const reads = cell === undefined ? '' : `a row reads ${JSON.stringify(cell.slice(0, 60))}`;
  const form: LearnedPoint =
    set === undefined
      ? { point: 'log.time_form', value, evidence: reads, how: 'data' }
      : {
          point: 'log.time_form',
          value,
          evidence: `${inConfig('timestamps')}${reads === '' ? '' : `; ${reads}`}`,
          how: 'config',
        };
  if (value !== 'naive') return [form];
  const zone = `${inConfig('naive_zone')} (default: UTC); the data does not show it`;
  return [form, { point: 'log.time_zone', value: profile.naiveZone, evidence: zone, how: 'config' }];
};

type Amounts = NonNullable<Awaited<ReturnType<Warehouse['logs']['amounts']>>>;

/** The form of amounts after a window landed. */
export const amountPoints = (
  known: Amounts | undefined,
  profile: GatewayProfile,
  window: Interval<UnixSeconds>,
  quota: Money,
): readonly LearnedPoint[] => {
  const units: LearnedPoint = {
    point: 'log.units_per_currency',
    value: String(profile.unitsPerCurrency),
    evidence: `${inConfig('units_per_currency')} (default: 500000)`,
    how: 'config',
  };
  const of = (value: string, evidence: string, how: LearnedPoint['how']): LearnedPoint => ({
    point: 'log.amounts',
    value,
    evidence,
    how,
  });
  if (profile.amounts !== 'auto') {
    const configured = of(profile.amounts, inConfig('amounts'), 'config');
    return profile.amounts === 'units' ? [configured, units] : [configured];
  }
  if (known === undefined) return [];
  const whole = `${known.wholeCount} charged rows, every amount a whole number, the largest ${known.largestWhole}`;
  if (known.form === 'units') return [of('units', whole, 'data'), units];
  if (known.form === undefined)
    return known.wholeCount === 0
      ? []
      : [of('unproven', `${whole}: too few or too small to decide; reports omit amounts`, 'data')];
  const shows = quota.includes('.')
    ? `the amounts of ${describeRange(window)} total ${quota}`
    : 'amounts have decimals';
  return [of('currency', shows, 'data')];
};

export const guardPoint = (
  guarded: boolean,
  window: Interval<UnixSeconds>,
  { guards }: LogExportFormat = {},
): LearnedPoint =>
  configured(guards, 'guards', {
    point: 'log.guards',
    value: (guards ?? guarded) ? "cells may begin with '" : guards === false ? 'none' : 'none seen',
    evidence: `the export of ${describeRange(window)} ${guarded ? 'contains such cells' : 'contains no such cell'}`,
    how: 'data',
  });

export const rangeEndPoint = (value: 'inclusive' | 'exclusive', second: UnixSeconds): LearnedPoint => {
  const at = new Date(second * 1000).toISOString().slice(0, 19);
  return {
    point: 'log.range_end',
    value,
    evidence:
      value === 'inclusive'
        ? `an export requested up to ${at} UTC contains a row of that second`
        : `an export requested up to ${at} UTC lacks rows of that second that the next export contains`,
    how: 'data',
  };
};
