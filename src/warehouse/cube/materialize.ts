import { interval, unixSeconds, type Interval, type UnixSeconds } from '../../core/index.ts';
import { dimensions, ofKey, tokenColumns } from '../report-views/cube-columns.ts';
import type { ReportView, ViewInput } from '../report-views/view.ts';
import { callsWith } from '../rollup/cells.ts';
import { tokenSums } from '../rollup/rollup-schema.ts';
import {
  text,
  within,
  type AccountRows,
  type Bindings,
  type Connection,
  type CellsIn,
  type Relation,
  type RowSource,
  type RowsIn,
} from '../../storage/index.ts';
import {
  aggregatesSql,
  columnsLeft,
  inCurrency,
  spendOf,
  bindingsOver,
  whereSql,
  type AggregatesPlan,
  type NamesLeft,
  type Served,
} from './aggregates.ts';
import type { CubePeriodName, CubeRequest } from './cube-request.ts';
import { addOwners, createAggregates, createRelation } from './report-tables.ts';
import { serviceIn, type Services } from './services.ts';
import { isKeyLeft, isModelLeft, restrictsKeys, restrictsModels, type OwnerRules } from './teams.ts';
import { segmentCuts, slotSql, type Timeline } from './timeline.ts';

/** The warehouse and a report's own engine, while rows are copied from one to the other. */
export type CubeBuild = {
  readonly source: RowSource;
  readonly target: Connection;
  /** The calls and cells of the names that are left; others may be missing, and cells of days that belong to no period. */
  readonly rows: RowsIn;
  readonly cellsIn: CellsIn;
  /** The cells of all names of the account. */
  readonly cellsOfAll: CellsIn;
  readonly request: CubeRequest;
  readonly timeline: Timeline;
  readonly served: Served;
  readonly left: NamesLeft;
  readonly services: Services;
  /** Milliseconds UTC. */
  readonly now: number;
};

/** What determines the cost owner of a key. */
const costOwnersOf = ({ request, services }: Pick<CubeBuild, 'request' | 'services'>): OwnerRules => ({
  teams: request.teams ?? [],
  tags: request.tags ?? [],
  serviceOf: serviceIn(services),
});

const boundsOf = (timeline: Timeline): Interval<UnixSeconds> => {
  const [first, last] = [timeline.ranges[0], timeline.ranges.at(-1)];
  return first === undefined || last === undefined
    ? interval(unixSeconds(0), unixSeconds(0))
    : interval(first.start, last.end);
};

const distinct = async (
  { source, request, timeline }: Pick<CubeBuild, 'source' | 'request' | 'timeline'>,
  column: 'model_name' | 'token_name',
  cellsIn: CellsIn,
  left: NamesLeft = {},
): Promise<readonly string[]> => {
  const names = new Set<string>();
  for (const range of timeline.ranges) {
    const cells = await cellsIn(range, [column, ...columnsLeft(left)], []);
    const rows = await source.rows(
      `SELECT DISTINCT ${column} AS name FROM ${cells.sql} WHERE ${whereSql(left)}`,
      bindingsOver(cells, request.account, range, left),
    );
    for (const row of rows) names.add(text(row, 'name'));
  }
  return [...names].sort();
};

/**
 * The cells of the days of the periods, copied: a report of a few keys would read those of all keys about ten times. Nothing
 * between two periods is in the copy.
 */
const copyCells = async (
  { source, request: { account }, timeline }: Pick<CubeBuild, 'source' | 'request' | 'timeline'>,
  left: NamesLeft,
  cellsIn: CellsIn,
): Promise<CellsIn> => {
  const table = 'cells_of_report';
  for (const [at, range] of timeline.ranges.entries()) {
    const cells = await cellsIn(range, [...dimensions, ...tokenSums]);
    await source.execute(
      `${at === 0 ? `CREATE OR REPLACE TEMP TABLE ${table} AS` : `INSERT INTO ${table}`} FROM ${cells.sql} WHERE ${whereSql(left)}`,
      bindingsOver(cells, account, range, left),
    );
  }
  const copied = boundsOf(timeline);
  const hasCopy = ({ start, end }: Interval<UnixSeconds>): boolean =>
    start >= copied.start && end <= copied.end;
  return async (range, columns = [], cuts) =>
    hasCopy(range) && ![...columns].includes('quarter')
      ? { sql: table, bindings: {} }
      : cellsIn(range, columns, cuts);
};

/** The largest share of the key names of an account whose cells are copied: a copy takes memory. */
const largestCopiedShare = 0.1;

/** The names in the calls of the periods that pass the filter, and readers of their calls and cells. */
export type Left = Pick<CubeBuild, 'left' | 'rows' | 'cellsIn' | 'cellsOfAll'>;

/** Patterns are matched here, once per name instead of per call. */
export const openLeft = async (
  build: Pick<CubeBuild, 'source' | 'request' | 'timeline' | 'services'>,
  { rows, rollup }: AccountRows,
  zone: string,
): Promise<Left> => {
  const { only = {} } = build.request;
  const rules = costOwnersOf(build);
  const cellsOfAll = rollup(zone);
  const models = restrictsModels(only)
    ? (await distinct(build, 'model_name', cellsOfAll)).filter((name) => isModelLeft(name, only))
    : undefined;
  const all = restrictsKeys(only) ? await distinct(build, 'token_name', cellsOfAll) : [];
  const keys = restrictsKeys(only) ? all.filter((name) => isKeyLeft(name, only, rules)) : undefined;
  const left = {
    ...(models === undefined ? {} : { models }),
    ...(keys === undefined ? {} : { keys }),
  };
  if (keys === undefined || all.length === 0 || keys.length > all.length * largestCopiedShare)
    return { left, rows, cellsIn: cellsOfAll, cellsOfAll };
  const cellsIn: CellsIn = (range, columns = [], cuts) =>
    cellsOfAll(range, [...columns, 'token_name'], cuts, keys);
  return {
    left,
    rows: (range, wanted) => rows(range, { ...wanted, keys }),
    cellsIn: await copyCells(build, left, cellsIn),
    cellsOfAll,
  };
};

/** Returns the number of rows. */
const eachRange = async (
  { source, target, request, timeline, served, left }: CubeBuild,
  table: string,
  relationIn: (range: Interval<UnixSeconds>) => Promise<Relation>,
  sqlOf: (range: Interval<UnixSeconds>, relation: Relation) => string,
): Promise<number> => {
  let rows = 0;
  for (const range of timeline.ranges) {
    const relation = await relationIn(range);
    const bindings = bindingsOver(relation, request.account, range, left, served);
    rows += await target.append(table, source.stream(sqlOf(range, relation), bindings));
  }
  return rows;
};

/** Returns the number of rows. */
export const materializeAggregates = async (
  build: CubeBuild,
  table: string,
  plan: AggregatesPlan,
): Promise<number> => {
  const { target, timeline, left } = build;
  // Binding a value that the statement does not use is an error.
  const isMoney = plan.measures.has('spend') || plan.measures.has('amount');
  const served = { ...build.served, inUnits: build.served.inUnits && isMoney };
  await createAggregates(target, table, plan);
  const columns = new Set([...plan.dimensions, ...plan.measures, ...columnsLeft(left)]);
  const rows = await eachRange(
    { ...build, served },
    table,
    async (range) => build.cellsIn(range, columns, plan.by === 'segment' ? segmentCuts(timeline) : undefined),
    (range, cells) => aggregatesSql(plan, slotSql(timeline, range, plan.by), cells, served, left),
  );
  if ([...ofKey].some((name) => plan.measures.has(name)))
    await addOwners(target, { table, column: 'token_name' }, costOwnersOf(build));
  return rows;
};

const tokenNames: ReadonlySet<string> = new Set(tokenColumns.map(({ name }) => name));

/** The columns of the calls themselves to copy, given those that a query reads. */
export const materializeCalls = async (
  build: CubeBuild,
  table: string,
  columns: ReadonlySet<string>,
): Promise<void> => {
  const { target, timeline, served, left } = build;
  const spend = inCurrency(`coalesce(${spendOf('quota', 'abs(quota)')}, 0)`, served);
  const names = [...tokenNames].filter((name) => columns.has(name));
  const given = [
    ['created_at', 'BIGINT', 'created_at'],
    ['model_name', 'VARCHAR', 'model_name'],
    ['token_name', 'VARCHAR', 'token_name'],
    ['kind', 'VARCHAR', 'kind'],
    ...names.map((name) => [name, 'HUGEINT', `CAST(${name} AS HUGEINT)`] as const),
    ['spend', 'DECIMAL(38, 12)', spend],
    ['amount', 'DECIMAL(38, 12)', inCurrency('coalesce(quota, 0)', served)],
  ] as const;
  await target.execute(
    `CREATE TABLE ${table} (slot_index INTEGER, ${given.map(([name, type]) => `${name} ${type}`).join(', ')})`,
  );
  await eachRange(
    build,
    table,
    build.rows,
    (range, calls) => `
      SELECT ${slotSql(timeline, range, 'day')} AS slot_index, ${given.map(([name, , sql]) => `${sql} AS ${name}`).join(', ')}
      FROM ${callsWith(names, calls)} WHERE ${whereSql(left)}`,
  );
  if ([...ofKey].some((name) => columns.has(name)))
    await addOwners(target, { table, column: 'token_name' }, costOwnersOf(build));
};

const daysOf = (timeline: Timeline): ViewInput['days'] => {
  const { days, ranges } = timeline;
  const isOf = (period: CubePeriodName): string =>
    JSON.stringify(days.map(({ of }) => of.some((one) => one.period === period)));
  return {
    slotOf: slotSql(timeline, boundsOf(timeline), 'day'),
    bounds: ranges.flatMap(({ start, end }) => [start, end]),
    hasSlot: within('created_at', ranges),
    sql: `(SELECT unnest(from_json($day_slots, '["INTEGER"]')) AS slot, CAST(unnest(from_json($days, '["VARCHAR"]')) AS DATE) AS day,
      unnest(from_json($day_starts, '["BIGINT"]')) AS start_at, unnest(from_json($day_ends, '["BIGINT"]')) AS end_at,
      unnest(from_json($days_current, '["BOOLEAN"]')) AS is_current,
      unnest(from_json($days_compared, '["BOOLEAN"]')) AS is_compared)`,
    bindings: {
      day_slots: JSON.stringify(days.map(({ index }) => index)),
      days: JSON.stringify(days.map(({ date }) => date)),
      day_starts: JSON.stringify(days.map(({ start }) => start)),
      day_ends: JSON.stringify(days.map(({ end }) => end)),
      days_current: isOf('current'),
      days_compared: isOf('comparison'),
    },
  };
};

/**
 * Names with their services, limited to what the report is restricted to: calls of other names don't count for a
 * service.
 */
const servicesOf = (build: CubeBuild): ViewInput['services'] => {
  const { request, services } = build;
  const { only = {} } = request;
  const rules = costOwnersOf(build);
  const left = [...services].filter(([name]) => isKeyLeft(name, only, rules));
  return {
    sql: `(SELECT unnest(from_json($service_keys, '["VARCHAR"]')) AS name,
      unnest(from_json($service_names, '["VARCHAR"]')) AS service)`,
    bindings: {
      service_keys: JSON.stringify(left.map(([name]) => name)),
      service_names: JSON.stringify(left.map(([, service]) => service)),
    },
  };
};

const insert = async (
  target: Connection,
  { name, columns }: ReportView,
  row: readonly (string | number | boolean | null)[],
): Promise<void> => {
  const values = columns.map(({ type }, at) => `CAST($value_${at} AS ${type})`);
  const bindings: Bindings = Object.fromEntries(row.map((value, at) => [`value_${at}`, value]));
  await target.execute(`INSERT INTO ${name} VALUES (${values.join(', ')})`, bindings);
};

const keepLeft = async (build: CubeBuild, { name, keyColumn = '', columns }: ReportView): Promise<void> => {
  const { target, request } = build;
  const { only = {} } = request;
  const rules = costOwnersOf(build);
  await addOwners(target, { table: name, column: keyColumn }, rules);
  if (restrictsKeys(only)) {
    const rows = await target.rows(`SELECT DISTINCT ${keyColumn} AS key FROM ${name}`);
    const gone = rows.map((row) => text(row, 'key')).filter((key) => !isKeyLeft(key, only, rules));
    if (gone.length > 0)
      await target.execute(`DELETE FROM ${name} WHERE ${keyColumn} IN (SELECT unnest($gone))`, { gone });
  }
  if (columns.some((column) => column.name === 'team'))
    await target.execute(
      `UPDATE ${name} SET team = key_owners.team FROM key_owners WHERE key_owners.token_name = ${name}.${keyColumn}`,
    );
};

export const materializeView = async (build: CubeBuild, view: ReportView): Promise<void> => {
  const { source, target, request, timeline, served, now, rows, left } = build;
  await createRelation(target, view);
  const { only } = request;
  const isRestricted = restrictsKeys(only) || restrictsModels(only);
  if (view.ofWholeAccount === true && isRestricted) return;
  if (view.ofAmounts === true && !served.isProven) return;
  const input: ViewInput = {
    request,
    served,
    now,
    days: daysOf(timeline),
    services: servicesOf(build),
    range: boundsOf(timeline),
    rows,
    cellsIn: build.cellsIn,
    cellsOfAll: build.cellsOfAll,
    rowsIn: async (range) => {
      const cells = await build.cellsOfAll(range, [], []);
      const [row] = await source.rows(`SELECT coalesce(sum(row_count), 0) AS row_count FROM ${cells.sql}`, {
        ...cells.bindings,
        account: request.account,
      });
      return Number(text(row, 'row_count'));
    },
    models: async () => distinct(build, 'model_name', build.cellsIn, left),
    left,
  };
  if ('rows' in view) {
    for (const row of await view.rows(input)) await insert(target, view, row);
  } else {
    const { sql, bindings } = await view.sql(input);
    const { rowsFrom } = view;
    if (rowsFrom !== undefined) {
      for (const row of (await source.rows(sql, bindings)).flatMap(rowsFrom)) await insert(target, view, row);
      return;
    }
    const names = view.columns.map(({ name }) => `"${name}"`).join(', ');
    const cast = view.columns.map(({ name, type }) => `CAST("${name}" AS ${type}) AS "${name}"`);
    await target.append(
      view.name,
      source.stream(`SELECT ${cast.join(', ')} FROM (${sql}) AS filled (${names})`, bindings),
    );
  }
  if (view.keyColumn !== undefined) await keepLeft(build, view);
};
