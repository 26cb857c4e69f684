import { csvCell, unixSeconds, type FocusVersion } from '../core/index.ts';
import type { FocusCharge } from './charges.ts';
import { columnsOf, focusTime, type FocusCell, type FocusExport, type FocusType } from './columns.ts';

/** A data set of FOCUS: its columns, and rows in pieces, such as those of one day. */
export type FocusTable = {
  /** In names of files. */
  readonly name: 'cost-and-usage' | 'billing-period';
  readonly columns: readonly { readonly name: string; readonly type: FocusType }[];
  readonly pieces: () => AsyncIterable<readonly (readonly FocusCell[])[]>;
};

/** The data set CostAndUsage. */
export const costAndUsage = (
  charges: () => AsyncIterable<readonly FocusCharge[]>,
  given: FocusExport,
  version: FocusVersion,
): FocusTable => {
  const columns = columnsOf(version);
  const cells = columns.map((column) => {
    if ('cell' in column) return (charge: FocusCharge) => column.cell(charge, given);
    const cell = column.cellOfAll(given);
    return () => cell;
  });
  return {
    name: 'cost-and-usage',
    columns,
    pieces: async function* () {
      for await (const piece of charges()) yield piece.map((charge) => cells.map((cellOf) => cellOf(charge)));
    },
  };
};

/** The data set BillingPeriod: one closed month. */
export const billingPeriod = ({
  names,
  period,
  closedAt,
}: Pick<FocusExport, 'names' | 'period' | 'closedAt'>): FocusTable => {
  const closed = focusTime(unixSeconds(Math.floor(closedAt / 1000)));
  const cells: readonly (readonly [string, FocusType, string])[] = [
    ['BillingPeriodCreated', 'moment', closed],
    ['BillingPeriodEnd', 'moment', focusTime(period.end)],
    ['BillingPeriodLastUpdated', 'moment', closed],
    ['BillingPeriodStart', 'moment', focusTime(period.start)],
    ['BillingPeriodStatus', 'text', 'Closed'],
    ['InvoiceIssuerName', 'text', names.issuer],
  ];
  return {
    name: 'billing-period',
    columns: cells.map(([name, type]) => ({ name, type })),
    pieces: async function* () {
      yield [cells.map(([, , cell]) => cell)];
    },
  };
};

/** Nothing is an empty cell; a text that is empty is in quotes. */
const cellOf = (cell: FocusCell): string => {
  if (cell === null) return '';
  return cell === '' ? '""' : csvCell(cell);
};

const lineOf = (cells: readonly FocusCell[]): string => `${cells.map(cellOf).join(',')}\n`;

/**
 * A data set as CSV with the headers of the specification, in pieces of whole lines. For programs: without a byte-order mark, and without
 * the guard against formulas of spreadsheets.
 */
export const csvPieces = async function* ({ columns, pieces }: FocusTable): AsyncGenerator<string> {
  yield lineOf(columns.map(({ name }) => name));
  for await (const rows of pieces()) yield rows.map(lineOf).join('');
};
