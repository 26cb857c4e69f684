import type { Row, RowKind } from '../traffic/row.ts';

/** The format of one column of the log export; `at` is the row index from 0. */
export type Column = {
  readonly name: string;
  readonly header: string;
  readonly write: (row: Row, at: number) => string;
};

/** Numbers of the row kinds, for gateways that export numbers. */
export const kindNumbers: Readonly<Record<RowKind, string>> = {
  topup: '1',
  consumption: '2',
  management: '3',
  system: '4',
  error: '5',
  refund: '6',
};

export const statusOf = (row: Row): string => (row.kind === 'error' ? 'error' : 'success');
