import { callLogColumns, type CallLogRole, type LogExportFormat } from '../../core/index.ts';
import type { LogColumn } from '../../warehouse/index.ts';

/** Header names that the YAML assigns to roles; only these are used for them. */
export type ColumnNames = NonNullable<LogExportFormat['columns']>;

const askedFor = (when: 'documented' | 'on request'): readonly CallLogRole[] =>
  callLogColumns.flatMap((column) => ('asked' in column && column.asked === when ? [column.name] : []));

/** Columns without which a row has no time or charge; others may be missing, and are unknown then. */
const needed: readonly CallLogRole[] = ['created_at', 'quota'];

/** A normalized header cell: `Created At`, `'created_at` and `created_at` are equal. */
const plain = (name: string): string =>
  name
    .trim()
    .replace(/^'/, '')
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/** A record is the header when it contains the name of the time column. */
export const isLogHeader = (cells: readonly string[], given: ColumnNames = {}): boolean =>
  cells.length > 1 && cells.some((cell) => plain(cell) === plain(given.created_at ?? 'created_at'));

/** The columns of a header with their roles; of two names for one role the more common one gets it. */
export const logColumns = (header: readonly string[], given: ColumnNames = {}): readonly LogColumn[] => {
  const names = header.map(plain);
  const roleAt = new Map<number, CallLogRole>();
  // Configured roles go first: a column has only one role.
  const ordered = callLogColumns.toSorted(
    (one, other) => Number(other.name in given) - Number(one.name in given),
  );
  for (const { name: role, headers } of ordered) {
    const own = given[role];
    const name = (own === undefined ? headers : [plain(own)]).find(
      (candidate) => names.includes(candidate) && !roleAt.has(names.indexOf(candidate)),
    );
    if (name !== undefined) roleAt.set(names.indexOf(name), role);
  }
  return header.map((cell, index) => {
    const name = cell.trim().replace(/^'/, '');
    const role = roleAt.get(index);
    return role === undefined ? { name } : { name, role };
  });
};

/** The currency that the header names; most headers name none. */
export const currencyOf = (columns: readonly LogColumn[]): 'USD' | 'CNY' | undefined => {
  const name = plain(columns.find(({ role }) => role === 'quota')?.name ?? '');
  if (name === 'cost_usd') return 'USD';
  return name === 'cost_cny' ? 'CNY' : undefined;
};

/** `detailed` and `all` are the same for a gateway: every column it has, by name. Otherwise the given names. */
export type WantedColumns = 'detailed' | 'all' | readonly string[];

const rolesOf = (columns: readonly LogColumn[]): ReadonlySet<CallLogRole> =>
  new Set(columns.flatMap(({ role }) => (role === undefined ? [] : [role])));

/** The configured names, plus the required columns, and the kind column if there is one. */
const givenNames = (
  found: readonly LogColumn[],
  wanted: readonly string[],
  given: ColumnNames,
): readonly string[] => {
  const asked = rolesOf(logColumns(wanted, given));
  const nameOf = (role: CallLogRole): string | undefined =>
    found.find((column) => column.role === role)?.name;
  const kind = nameOf('kind');
  return [
    ...wanted,
    ...needed.filter((role) => !asked.has(role)).map((role) => nameOf(role) ?? given[role] ?? role),
    ...(asked.has('kind') || kind === undefined ? [] : [kind]),
  ];
};

/**
 * Puts the time last: without a final line end, a truncated last cell is detectable in a time, but not in an amount.
 */
const timeLast = (names: readonly string[], given: ColumnNames): readonly string[] => {
  const time = plain(given.created_at ?? 'created_at');
  return [...names.filter((name) => plain(name) !== time), ...names.filter((name) => plain(name) === time)];
};

/**
 * The names to request, and the fallbacks when they are refused: gateways serve columns that they refuse by name, and
 * refuse unknown names. First all columns the gateway is known to have, plus the documented and token-splitting ones
 * that it did not serve under this or another name, since it may export them only on request. Then only those with a
 * role, then both without the token-splitting columns, then those with a role that were served, then none: the
 * gateway's default.
 */
export const columnsToAsk = (
  found: readonly LogColumn[],
  wanted: WantedColumns,
  endsLines: boolean,
  given: ColumnNames = {},
): readonly [readonly string[], ...(readonly string[])[]] => {
  const ordered = (names: readonly string[]) => (endsLines ? names : timeLast(names, given));
  if (typeof wanted !== 'string') return [ordered(givenNames(found, wanted, given))];
  const present = rolesOf(found);
  const missing = (roles: readonly CallLogRole[]): readonly string[] =>
    roles.filter((role) => !present.has(role)).map((role) => given[role] ?? role);
  const [unseen, unsplit] = [missing(askedFor('documented')), missing(askedFor('on request'))];
  const shown = found.map(({ name }) => name).filter((name) => name !== '');
  const known = found.flatMap(({ name, role }) => (role === undefined ? [] : [name]));
  const [all, withRoles] = [
    [...shown, ...unseen],
    [...known, ...unseen],
  ];
  const further = unsplit.length === 0 ? [] : [ordered(all), ordered(withRoles)];
  return [ordered([...all, ...unsplit]), ordered([...withRoles, ...unsplit]), ...further, ordered(known), []];
};

const neededForReports: readonly CallLogRole[] = ['model_name', 'token_name'];

export const missingColumns = (
  columns: readonly LogColumn[],
  wanted: WantedColumns,
): { readonly needed: readonly string[]; readonly unknown: readonly string[] } => {
  const present = rolesOf(columns);
  const must = typeof wanted === 'string' ? [...needed, ...neededForReports] : needed;
  const missing = askedFor('documented').filter((role) => !present.has(role));
  return {
    needed: missing.filter((role) => must.includes(role)),
    unknown: typeof wanted === 'string' ? missing.filter((role) => !must.includes(role)) : [],
  };
};
