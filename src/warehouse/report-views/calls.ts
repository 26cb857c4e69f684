import { tagColumns, tokenColumns } from './cube-columns.ts';
import { columnsOf, type ReportRelation } from './relation.ts';

/** Built like the cube, but row by row instead of summed. */
export const callsRelation: ReportRelation = {
  name: 'calls',
  description:
    'individual calls of the periods; for small results only, because a month of calls may exceed memory',
  columns: [
    ...columnsOf([
      ['period', 'VARCHAR', 'as in cube'],
      ['day', 'DATE', 'local day'],
      ['created_at', 'BIGINT', 'seconds UTC'],
      ['model_name', 'VARCHAR', 'the gateway’s name of the model'],
      ['token_name', 'VARCHAR', 'name of the API key'],
      ['service', 'VARCHAR', 'as in cube'],
      ['team', 'VARCHAR', 'cost owner; NULL if unassigned'],
    ]),
    ...tagColumns,
    ...columnsOf([['kind', 'VARCHAR', 'as in cube']]),
    ...tokenColumns,
    ...columnsOf([
      ['spend', 'DECIMAL(38, 12)', 'consumption less refunds, in the currency of the account'],
      ['amount', 'DECIMAL(38, 12)', 'the amount, with the sign as served'],
    ]),
  ],
};
