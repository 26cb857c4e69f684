import type { LogExportFormat } from '../../core/index.ts';
import type { LogColumn, LogRole } from '../../warehouse/index.ts';

/** Header names that the YAML gives for roles: those alone are taken for them. */
export type ColumnNames = NonNullable<LogExportFormat['columns']>;

/** Names that gateways of the family give to one and the same column, the usual one first. */
const aliases: readonly (readonly [LogRole, readonly string[]])[] = [
  ['created_at', ['created_at']],
  ['model_name', ['model_name']],
  ['token_name', ['token_name']],
  ['kind', ['type', 'kind', 'log_type']],
  ['prompt_tokens', ['prompt_tokens']],
  ['completion_tokens', ['completion_tokens']],
  ['cached_tokens', ['cached_tokens', 'cache_tokens', 'cache_read_tokens', 'cached_read_tokens']],
  [
    'cache_write_tokens',
    [
      'cache_write_tokens',
      'cache_creation_tokens',
      'cached_write_tokens',
      'cached_creation_tokens',
      'cache_creation_input_tokens',
    ],
  ],
  ['reasoning_tokens', ['reasoning_tokens']],
  ['audio_tokens', ['audio_tokens']],
  ['audio_input_tokens', ['audio_input_tokens', 'input_audio_tokens', 'prompt_audio_tokens']],
  ['audio_output_tokens', ['audio_output_tokens', 'output_audio_tokens', 'completion_audio_tokens']],
  ['image_tokens', ['image_tokens']],
  ['quota', ['quota', 'cost_usd', 'cost_cny']],
];

/** The columns that the contract names (docs/gateway.md G6.3). */
const documented: readonly LogRole[] = [
  'created_at',
  'model_name',
  'token_name',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'quota',
];

/** Columns that split token counts and that the contract does not name; a gateway may export them only when asked (docs/gateway.md G6.4). */
const splitting: readonly LogRole[] = [
  'cache_write_tokens',
  'audio_input_tokens',
  'audio_output_tokens',
  'image_tokens',
];

/** Columns without which no row can be placed or charged; the others may be missing, and are unknown then. */
const needed: readonly LogRole[] = ['created_at', 'quota'];

/** A header cell as it is compared: `Created At`, `'created_at` and `created_at` are one. */
const plain = (name: string): string =>
  name
    .trim()
    .replace(/^'/, '')
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/** A record is the header when it names the time of the row. */
export const isLogHeader = (cells: readonly string[], given: ColumnNames = {}): boolean =>
  cells.length > 1 && cells.some((cell) => plain(cell) === plain(given.created_at ?? 'created_at'));

/** The columns of a header with their roles; of two names for one role the more usual one has it. */
export const logColumns = (header: readonly string[], given: ColumnNames = {}): readonly LogColumn[] => {
  const names = header.map(plain);
  const roleAt = new Map<number, LogRole>();
  // What is given goes first: a column is taken for one thing.
  const ordered = aliases.toSorted(([one], [other]) => Number(other in given) - Number(one in given));
  for (const [role, usual] of ordered) {
    const own = given[role];
    const name = (own === undefined ? usual : [plain(own)]).find(
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

/** The currency that the header gives the amounts; most headers give none. */
export const currencyOf = (columns: readonly LogColumn[]): 'USD' | 'CNY' | undefined => {
  const name = plain(columns.find(({ role }) => role === 'quota')?.name ?? '');
  if (name === 'cost_usd') return 'USD';
  return name === 'cost_cny' ? 'CNY' : undefined;
};

/** `detailed` and `all` are the same to a gateway: every column it has, by name. Else the names given. */
export type WantedColumns = 'detailed' | 'all' | readonly string[];

const rolesOf = (columns: readonly LogColumn[]): ReadonlySet<LogRole> =>
  new Set(columns.flatMap(({ role }) => (role === undefined ? [] : [role])));

/** Names given in the settings, with what no row can be placed or charged without; its kind too, where there is one. */
const givenNames = (
  found: readonly LogColumn[],
  wanted: readonly string[],
  given: ColumnNames,
): readonly string[] => {
  const asked = rolesOf(logColumns(wanted, given));
  const nameOf = (role: LogRole): string | undefined => found.find((column) => column.role === role)?.name;
  const kind = nameOf('kind');
  return [
    ...wanted,
    ...needed.filter((role) => !asked.has(role)).map((role) => nameOf(role) ?? given[role] ?? role),
    ...(asked.has('kind') || kind === undefined ? [] : [kind]),
  ];
};

/** The time last: where lines are not ended, a cut in the last cell is seen in a time, but not in an amount. */
const timeLast = (names: readonly string[], given: ColumnNames): readonly string[] => {
  const time = plain(given.created_at ?? 'created_at');
  return [...names.filter((name) => plain(name) !== time), ...names.filter((name) => plain(name) === time)];
};

/**
 * The names to ask for, and what to ask for instead where they are refused: gateways show columns that they refuse to be
 * asked for by name, and refuse names that they don't know. First whatever the gateway was found to have, with the
 * documented columns and those that split token counts that it did not show under this or another name: it may export
 * them only when they are asked for. Then those with a role alone, then both without the columns that split counts, then
 * those with a role that were shown, then none: what it shows unasked.
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
  const missing = (roles: readonly LogRole[]): readonly string[] =>
    roles.filter((role) => !present.has(role)).map((role) => given[role] ?? role);
  const [unseen, unsplit] = [missing(documented), missing(splitting)];
  const shown = found.map(({ name }) => name).filter((name) => name !== '');
  const known = found.flatMap(({ name, role }) => (role === undefined ? [] : [name]));
  const [all, withRoles] = [
    [...shown, ...unseen],
    [...known, ...unseen],
  ];
  const further = unsplit.length === 0 ? [] : [ordered(all), ordered(withRoles)];
  return [ordered([...all, ...unsplit]), ordered([...withRoles, ...unsplit]), ...further, ordered(known), []];
};

const neededForReports: readonly LogRole[] = ['model_name', 'token_name'];

export const missingColumns = (
  columns: readonly LogColumn[],
  wanted: WantedColumns,
): { readonly needed: readonly string[]; readonly unknown: readonly string[] } => {
  const present = rolesOf(columns);
  const must = typeof wanted === 'string' ? [...needed, ...neededForReports] : needed;
  const missing = documented.filter((role) => !present.has(role));
  return {
    needed: missing.filter((role) => must.includes(role)),
    unknown: typeof wanted === 'string' ? missing.filter((role) => !must.includes(role)) : [],
  };
};
