import { localDays, interval, unixSeconds } from '../../../src/core/index.ts';
import type { LogBatch, LogColumn, Warehouse } from '../../../src/warehouse/index.ts';
import { columnsNamed, batchOf, openIn, type TestFolder } from '../support.ts';

/** A UTC day that tests live in. */
export const day = Date.UTC(2026, 2, 28) / 1000;

/** Names of models tell what their counts include. */
export const rules = { 'in-*': 'includes_cache', 'ex-*': 'excludes_cache' } as const;
export const outputRules = { 'in-*': 'includes_reasoning', 'ex-*': 'excludes_reasoning' } as const;

export const openWithRules = async (folder: TestFolder): Promise<Warehouse> => {
  const warehouse = await openIn(folder);
  await warehouse.tokens.configure('main', rules, outputRules);
  return warehouse;
};

export const counts = [
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'audio_tokens',
  'audio_input_tokens',
  'audio_output_tokens',
  'image_tokens',
] as const;

export type CountName = (typeof counts)[number];

/** A row of the log; a count that is left out is blank. */
export type LoggedCall = Partial<Readonly<Record<CountName, number>>> & {
  readonly at?: number;
  readonly model?: string;
  readonly key?: string;
  readonly kind?: string;
  readonly quota?: string;
};

const columns = columnsNamed(['created_at', 'model_name', 'token_name', 'kind', ...counts, 'quota']);

const cellOf = (call: LoggedCall, { role }: LogColumn): string | number => {
  switch (role) {
    case 'created_at':
      return call.at ?? day;
    case 'model_name':
      return call.model ?? 'model';
    case 'token_name':
      return call.key ?? 'key';
    case 'kind':
      return call.kind ?? 'consumption';
    case 'quota':
      return call.quota ?? '0.5';
    case undefined:
      return '';
    default:
      return call[role] ?? '';
  }
};

/** Lands the calls as all that is there of some days, from an export without some columns. */
export const landCalls = async (
  warehouse: Warehouse,
  folder: TestFolder,
  calls: readonly LoggedCall[],
  {
    account = 'main',
    from = day,
    days = 1,
    without = [],
  }: { account?: string; from?: number; days?: number; without?: readonly CountName[] } = {},
): Promise<void> => {
  const served = columns.filter(({ role }) => !without.some((name) => name === role));
  const lineOf = (call: LoggedCall): string => served.map((one) => cellOf(call, one)).join(',');
  const window = interval(unixSeconds(from), unixSeconds(from + days * 86_400));
  const change: Partial<LogBatch> = { account, columns: served, window, asked: window };
  await warehouse.logs.landWindow(await batchOf(folder, calls.map(lineOf), change));
};

export const inputClasses = [
  'input_uncached_tokens',
  'input_cache_read_tokens',
  'input_cache_write_tokens',
  'input_audio_tokens',
  'input_image_tokens',
  'input_unclassified_tokens',
] as const;

export const outputClasses = [
  'output_plain_tokens',
  'output_reasoning_tokens',
  'output_audio_tokens',
  'output_unclassified_tokens',
] as const;

/** The total and the classes of each side. */
export const allClasses = ['input_tokens', ...inputClasses, 'output_tokens', ...outputClasses] as const;

export type Classes = Readonly<Record<(typeof allClasses)[number], bigint | null>>;

/** The classes of each group of calls, by the value of a column of the cube; one key a call gives them call by call. */
export const classesBy = async (
  warehouse: Warehouse,
  column: 'token_name' | 'model_name' | 'kind' | 'period',
  account = 'main',
): Promise<ReadonlyMap<string, Classes>> => {
  const days = localDays('2026-03-01', '2026-04-30', 'UTC');
  const table = await warehouse.readCube({ account, periods: [{ name: 'current', days }] }, async (query) =>
    query(`SELECT ${column}, ${allClasses.map((name) => `sum(${name})`).join(', ')} FROM cube GROUP BY 1`),
  );
  return new Map(
    table.rows.map(([name, ...cells]) => [
      String(name),
      Object.fromEntries(
        allClasses.map((column_, at) => {
          const cell = cells[at] ?? null;
          return [column_, cell === null ? null : BigInt(String(cell))];
        }),
      ) as Classes,
    ]),
  );
};
