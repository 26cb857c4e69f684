export const BYTE_ORDER_MARK = '\uFEFF';

const needsQuotes = /[",\r\n]|^\s|\s$/u;

/** One cell as RFC 4180 wants it. */
export const cell = (text: string): string =>
  needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** One line from cells that are already quoted. */
export const line = (cells: readonly string[]): string => `${cells.join(',')}\n`;

/** Cells that a spreadsheet would take for a formula. */
export const startsFormula = (text: string): boolean => /^[=+\-@\t\r]/u.test(text);
