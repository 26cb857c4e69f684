import type { Row, RowKind } from '../traffic/row.ts';

export const BYTE_ORDER_MARK = '\uFEFF';

const needsQuotes = /[",\r\n]|^\s|\s$/u;

/** One cell, quoted as in RFC 4180. */
export const cell = (text: string): string =>
  needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** The cells must be quoted already. */
export const line = (cells: readonly string[]): string => `${cells.join(',')}\n`;

/** Spreadsheets evaluate such cells as formulas. */
export const startsFormula = (text: string): boolean => /^[=+\-@\t\r]/u.test(text);

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
