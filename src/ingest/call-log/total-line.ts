import { money, type Money } from '../../core/index.ts';
import { cellsOf } from '../format/find-header.ts';

/** A line after the rows with their sum. */
export type TotalLine = {
  readonly amount: Money;
  readonly decimals: number;
  /** Its width differs from the rows': it may be a truncated row. */
  readonly odd: boolean;
};

const totalWord = /^['"]?\s*((grand\s+)?(total|sum|subtotal|summary)\b|合计|总计|小计|总额)/i;
const amountText = /^'?[+-]?\d+(\.\d+)?$/;

const placesOf = (text: string): number => text.split('.')[1]?.length ?? 0;

/**
 * The total in the last line of an export; undefined when the line is a row. Its amount is in the amount column, or is
 * the last number of a line of another width.
 */
export const totalLine = (
  line: string,
  width: number,
  quotaAt: number,
  timeAt: number,
): TotalLine | undefined => {
  const cells = cellsOf(line.replace(/\n$/, '')).map((cell) => cell.trim());
  const timeless = cells.length !== width || cells[timeAt] === '' || totalWord.test(cells[timeAt] ?? '');
  const worded = cells.some((cell) => totalWord.test(cell));
  // Without a label: a line of only numbers and no time.
  const numbersAlone = cells.length === width && cells.every((cell) => cell === '' || amountText.test(cell));
  if (!timeless || !(worded || numbersAlone)) return undefined;
  const numbers = cells.filter((cell) => amountText.test(cell));
  const cell = (cells.length === width ? cells[quotaAt] : numbers.at(-1)) ?? '';
  // `Total: 12.5`, when the amount column is the first.
  const written = totalWord.test(cell) ? cell.replace(/^\D*?(?=[+-]?\d)/, '') : cell;
  if (!amountText.test(written)) return undefined;
  const amount = written.replace(/^'/, '');
  return { amount: money(amount), decimals: placesOf(amount), odd: cells.length !== width };
};
