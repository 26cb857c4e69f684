import type { FocusCharge } from './charges.ts';
import { columnsOf, type FocusCell, type FocusExport, type FocusVersion } from './columns.ts';

/** Nothing is an empty cell; a text that a reader could take for nothing, or for several cells, is quoted. */
const cellOf = (cell: FocusCell): string => {
  if (cell === null) return '';
  return cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
};

const lineOf = (cells: readonly FocusCell[]): string => `${cells.map(cellOf).join(',')}\n`;

/**
 * The data set CostAndUsage as CSV with the headers of the specification, line by line. For programs: without a byte-order mark, and
 * without the guard against formulas of spreadsheets.
 */
export const csvLines = function* (
  charges: Iterable<FocusCharge>,
  given: FocusExport,
  version: FocusVersion,
): Generator<string> {
  const columns = columnsOf(version);
  yield lineOf(columns.map(({ name }) => name));
  for (const charge of charges) yield lineOf(columns.map(({ cell }) => cell(charge, given)));
};
