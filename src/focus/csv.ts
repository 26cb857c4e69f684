import { unixSeconds, type FocusVersion } from '../core/index.ts';
import type { FocusCharge } from './charges.ts';
import { columnsOf, focusTime, type FocusCell, type FocusExport } from './columns.ts';

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

/** The data set BillingPeriod as CSV: one closed month. */
export const billingPeriodLines = function* ({
  names,
  period,
  closedAt,
}: Pick<FocusExport, 'names' | 'period' | 'closedAt'>): Generator<string> {
  const closed = focusTime(unixSeconds(Math.floor(closedAt / 1000)));
  const cells: Readonly<Record<string, string>> = {
    BillingPeriodCreated: closed,
    BillingPeriodEnd: focusTime(period.end),
    BillingPeriodLastUpdated: closed,
    BillingPeriodStart: focusTime(period.start),
    BillingPeriodStatus: 'Closed',
    InvoiceIssuerName: names.issuer,
  };
  yield lineOf(Object.keys(cells));
  yield lineOf(Object.values(cells));
};
