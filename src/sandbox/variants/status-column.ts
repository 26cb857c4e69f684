import { kindNumbers, statusOf } from '../admin/log-column.ts';
import type { Row } from '../traffic/row.ts';
import type { Point } from './point.ts';

const writers: Readonly<Record<string, (row: Row) => string>> = {
  word: statusOf,
  'own-word': (row) => (row.kind === 'error' ? 'void' : 'settled'),
  number: (row) => kindNumbers[row.kind],
};

export const statusColumn = {
  values: ['word', 'own-word', 'number', 'absent'],
  default: 'word',
  meaning:
    'The status column: success or error, two words of the gateway’s own, the numbers of row kinds, or not exported.',
  statement: 'G6.11',
  logColumns: (columns, value) =>
    columns.flatMap((column) => {
      const write = writers[value];
      if (column.name !== 'status') return [column];
      return write === undefined ? [] : [{ ...column, write }];
    }),
} as const satisfies Point;
