import { fault, trimOf } from '../../core/index.ts';

/** Spreadsheets store and show at most this many digits of a number. */
const digitsKept = 15;

/**
 * The number of a decimal text; `exact` when the spreadsheet shows and stores all of its digits.
 * @throws Fault `report-invalid` for anything but a finite number: spreadsheets with `NaN` are unreadable
 */
export const spreadsheetNumber = (decimal: string): { readonly value: number; readonly exact: boolean } => {
  const value = Number(decimal);
  if (!Number.isFinite(value) || !/^-?\d+(\.\d+)?$/.test(decimal))
    throw fault('report-invalid', `${JSON.stringify(decimal.slice(0, 40))} is no number for a spreadsheet`);
  const digits = trimOf(decimal.replace('-', '').replace('.', ''), '0');
  return { value, exact: digits.length <= digitsKept };
};

const currencyCodes: Readonly<Record<string, string>> = {
  USD: '[$$-409]#,##0',
  CNY: '[$¥-804]#,##0',
};

/** 2 decimals; below 0.10 enough to show two significant digits, at most 12: as in the mail. */
const decimalsOf = (decimal: string): number =>
  Math.min(12, (/^-?0\.(0+)[1-9]/.exec(decimal)?.[1]?.length ?? 0) + 2);

export const moneyFormat = (currency: string, decimal: string): string => {
  const decimals = `.${'0'.repeat(decimalsOf(decimal))}`;
  const known = currencyCodes[currency];
  return known === undefined ? `#,##0${decimals} [$${currency}]` : `${known}${decimals}`;
};

export const numberFormat = (decimal: string): string => (decimal.includes('.') ? '#,##0.######' : '#,##0');

export const ratioFormat = '0.0%';
