import { tokenRoles } from '../logs/log-batch.ts';

const tokensAre = (comparison: string, glue: string): string =>
  tokenRoles.map((role) => `coalesce(${role}, 0) ${comparison}`).join(` ${glue} `);

/** A row of `call_log` without a charge and without tokens: an error, or a call that was free. */
export const bareSql = `(coalesce(quota, 0) = 0 AND ${tokensAre('= 0', 'AND')})`;

/** A row that names neither model nor key and counts nothing is no call. */
const isNoCallSql = `(model_name = '' AND token_name = '' AND ${tokensAre('= 0', 'AND')})`;

/** What a row of `call_log` shows of its kind by itself. */
export const kindByRowSql = `CASE WHEN quota < 0 THEN 'refund'
  WHEN quota IS NOT NULL AND ${isNoCallSql} THEN CASE WHEN quota > 0 THEN 'top-up' ELSE 'system' END ELSE 'consumption' END`;

/** The word in a column that is kept as text; `path` is the name of what binds its JSON pointer. */
export const labelSql = (path: string): string =>
  `lower(trim(coalesce(json_extract_string(extra, $${path}), '')))`;

/** The JSON pointer of a column's name. */
export const pointerTo = (column: string): string => `/${column.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The figures of `WordEvidence` over rows grouped by word; `models` is SQL for the models that are charged for. */
export const evidenceSql = (models: string): string => `
  count(*) FILTER (${bareSql}) AS bare,
  count(*) FILTER (${bareSql} AND model_name IN (${models})) AS bare_of_charged_models,
  count(*) FILTER (quota > 0 AND model_name <> '') AS charged,
  count(*) FILTER (quota < 0 AND model_name <> '') AS refunds,
  count(*) FILTER (quota <> 0 AND model_name = '') AS balance,
  count(*) FILTER (coalesce(quota, 0) = 0 AND (${tokensAre('> 0', 'OR')})) AS free`;
