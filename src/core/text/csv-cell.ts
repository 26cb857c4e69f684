/** A cell of a CSV file (RFC 4180): in quotes where a reader could take it for several cells or lines. */
export const csvCell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
