import { compareMoney, divideMoney, groupBy, subtractMoney, sumMoney, zero } from '../../../../core/index.ts';
import type { ChangedCell } from '../../../../monitoring/index.ts';
import { formatMoney, formatPercent, type Locale } from '../../../../messages/index.ts';
import { type AlertBlock } from '../../../../reports/index.ts';
import { textsIn } from './languages.ts';

type Table = NonNullable<AlertBlock['tables']>[number];

/** Rows of a table, without the row that sums up the others. */
const most = 5;

/** Where the money of a period went, the dearest first; the rows add up to its spend. Undefined when there is none. */
const tableOf = (
  title: string,
  cells: readonly ChangedCell[],
  nameOf: (cell: ChangedCell) => string,
  currency: string,
  locale: Locale,
): Table | undefined => {
  const sums = [...groupBy(cells, nameOf)]
    .map(([name, same]) => ({
      name,
      amount: subtractMoney(
        sumMoney(same.map(({ after }) => after.charge)),
        sumMoney(same.map(({ after }) => after.refunds)),
      ),
    }))
    .filter(({ amount }) => compareMoney(amount, zero) !== 0)
    .toSorted((left, right) => compareMoney(right.amount, left.amount));
  if (sums.length === 0) return undefined;
  const total = sumMoney(sums.map(({ amount }) => amount));
  const shown = sums.length <= most + 1 ? sums : sums.slice(0, most);
  const rest = sums.slice(shown.length);
  const others =
    rest.length === 0
      ? []
      : [{ name: textsIn(locale).others(rest.length), amount: sumMoney(rest.map(({ amount }) => amount)) }];
  return {
    title,
    rows: [...shown, ...others].map(({ name, amount }) => ({
      name: name === '' ? locale.messages.unnamed : name,
      amount: formatMoney(amount, currency, locale),
      share: formatPercent(divideMoney(amount, total, 12) ?? zero, locale),
    })),
  };
};

/** The models and the services of a scope. */
export const spendTables = (
  cells: readonly ChangedCell[],
  currency: string,
  locale: Locale,
): readonly Table[] =>
  [
    tableOf(textsIn(locale).models, cells, ({ model }) => model, currency, locale),
    tableOf(textsIn(locale).services, cells, ({ key }) => key, currency, locale),
  ].filter((table) => table !== undefined);
