import type { Row, RowKind } from '../traffic/row.ts';

/** How one column of the log export is written; `at` counts the rows from 0. */
export type Column = {
  readonly name: string;
  readonly header: string;
  readonly write: (row: Row, at: number) => string;
};

/** How gateways that number the kinds of rows number them. */
export const kindNumbers: Readonly<Record<RowKind, string>> = {
  topup: '1',
  consumption: '2',
  management: '3',
  system: '4',
  error: '5',
  refund: '6',
};

export const statusOf = (row: Row): string => (row.kind === 'error' ? 'error' : 'success');
