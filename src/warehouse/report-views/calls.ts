import { tokenColumns } from './cube-columns.ts';
import { columnsOf } from './relation.ts';
import type { ReportRelation } from './relation.ts';

/** Filled as the cube is, row by row instead of in sums. */
export const callsRelation: ReportRelation = {
  name: 'calls',
  description:
    'the calls of the periods one by one; for a handful of rows: a month of them may be more than memory holds',
  columns: [
    ...columnsOf([
      ['period', 'VARCHAR', 'as in cube'],
      ['day', 'DATE', 'local day'],
      ['created_at', 'BIGINT', 'seconds UTC'],
      ['model_name', 'VARCHAR', 'as the gateway names it'],
      ['token_name', 'VARCHAR', 'name of the API key'],
      ['service', 'VARCHAR', 'as in cube'],
      ['team', 'VARCHAR', 'who pays; NULL is unassigned'],
      ['kind', 'VARCHAR', 'as in cube'],
    ]),
    ...tokenColumns,
    ...columnsOf([
      ['spend', 'DECIMAL(38, 12)', 'consumption less refunds, in the currency of the account'],
      ['amount', 'DECIMAL(38, 12)', 'the amount, with the sign it was served with'],
    ]),
  ],
};
