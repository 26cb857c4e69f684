export const BYTE_ORDER_MARK = '\uFEFF';

const needsQuotes = /[",\r\n]|^\s|\s$/u;

/** One cell, quoted as in RFC 4180. */
export const cell = (text: string): string =>
  needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** The cells must be quoted already. */
export const line = (cells: readonly string[]): string => `${cells.join(',')}\n`;

/** Spreadsheets evaluate such cells as formulas. */
export const startsFormula = (text: string): boolean => /^[=+\-@\t\r]/u.test(text);
