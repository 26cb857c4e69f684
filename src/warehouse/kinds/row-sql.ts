import { extraCellSql } from '../logs/extra.ts';
import { tokenColumns } from '../../core/index.ts';

const tokensAre = (comparison: string, glue: string): string =>
  tokenColumns.map((role) => `coalesce(${role}, 0) ${comparison}`).join(` ${glue} `);

/** A row of `call_log` without a charge and without tokens: an error, or a free call. */
export const bareSql = `(coalesce(quota, 0) = 0 AND ${tokensAre('= 0', 'AND')})`;

/** A row that names neither model nor key and has no tokens is no call. */
const isNoCallSql = `(model_name = '' AND token_name = '' AND ${tokensAre('= 0', 'AND')})`;

/** The kind of a row of `call_log` by its figures alone. */
export const kindByRowSql = `CASE WHEN quota < 0 THEN 'refund'
  WHEN quota IS NOT NULL AND ${isNoCallSql} THEN CASE WHEN quota > 0 THEN 'top-up' ELSE 'system' END ELSE 'consumption' END`;

/** The label in a column that is stored as text; `column` names the binding of its name. */
export const labelSql = (column: string): string => `lower(trim(coalesce(${extraCellSql(column)}, '')))`;

/** The figures of `LabelEvidence` over rows grouped by label; `models` is SQL for the models with charges. */
export const evidenceSql = (models: string): string => `
  count(*) FILTER (${bareSql}) AS bare,
  count(*) FILTER (${bareSql} AND model_name IN (${models})) AS bare_of_charged_models,
  count(*) FILTER (quota > 0 AND model_name <> '') AS charged,
  count(*) FILTER (quota < 0 AND model_name <> '') AS refunds,
  count(*) FILTER (quota <> 0 AND model_name = '') AS balance,
  count(*) FILTER (coalesce(quota, 0) = 0 AND (${tokensAre('> 0', 'OR')})) AS free`;
