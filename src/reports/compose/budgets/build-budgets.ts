import { compareMoney, divideMoney, moneyAsShare, zero, type Money } from '../../../core/index.ts';
import type { Assessment } from '../../../monitoring/index.ts';
import type { BudgetsShape } from '../../definition/section-shapes.ts';
import type { Context } from '../context.ts';
import { formatMoney, formatPercent } from '../../../messages/index.ts';
import type { CellModel, RowModel, TableModel } from '../model.ts';
import { showName } from '../names.ts';

const text = (value: string): CellModel => ({ exact: null, text: value });

const shareOf = (part: Money, whole: Money): Money | undefined => divideMoney(part, whole, 12);

/** A budget of zero is used up by the first charge. */
const usedShare = ({ spend, budget }: Assessment): number => {
  if (spend === undefined) return -1;
  if (compareMoney(budget.amount, zero) === 0) return compareMoney(spend, zero) > 0 ? 10 : 0;
  return moneyAsShare(spend, budget.amount);
};

/** The forecast, or why there is none. */
const outlook = (assessment: Assessment, { locale }: Context): string => {
  const { budget, forecast, reason, isTooEarly, period, through } = assessment;
  const messages = locale.messages.budgets;
  if (reason !== undefined) return messages.unknown[reason.kind];
  if (isTooEarly) return messages.tooEarly;
  const hasEnded = through !== undefined && through >= period.end;
  if (forecast === undefined || hasEnded) return '–';
  const amount = formatMoney(forecast.amount, budget.currency, locale);
  return forecast.accuracy === undefined
    ? amount
    : `${amount} ± ${formatPercent(forecast.accuracy.mean, locale)}`;
};

/** A threshold of which the state is not good news. */
const toneOf = ({ levels }: Assessment): 'good' | 'bad' =>
  levels.some(({ state }) => state === 'exceeded') ? 'bad' : 'good';

const rowOf = (assessment: Assessment, context: Context): RowModel => {
  const { locale } = context;
  const { budget, spend, reason } = assessment;
  const messages = locale.messages.budgets;
  const show = (amount: Money): string => formatMoney(amount, budget.currency, locale);
  const used = spend === undefined ? undefined : shareOf(spend, budget.amount);
  return {
    role: 'row',
    state: 'complete',
    colour: undefined,
    cells: [
      text(messages.ofPeriod(showName(budget.name, 40), messages.periods[budget.period])),
      {
        exact: null,
        text: '',
        length: Math.min(1, Math.max(0, usedShare(assessment))),
        tone: toneOf(assessment),
      },
      {
        exact: spend ?? null,
        text: messages.spent(
          spend === undefined ? '–' : `${reason === undefined ? '' : '≥ '}${show(spend)}`,
          show(budget.amount),
        ),
      },
      text(used === undefined ? '–' : formatPercent(used, locale)),
      text(outlook(assessment, context)),
    ],
  };
};

/** Budgets with their use and forecast at the end of the period; the ones used most first. */
export const buildBudgets = (
  shape: BudgetsShape,
  assessments: readonly Assessment[] | undefined,
  context: Context,
  scale: number,
): TableModel | undefined => {
  if (assessments === undefined || assessments.length === 0) return undefined;
  const { budgets, otherRows } = context.locale.messages;
  const limit = Math.max(1, Math.floor(shape.limit * scale));
  const sorted = assessments.toSorted((left, right) => usedShare(right) - usedShare(left));
  const shown = sorted.slice(0, limit);
  const rest = sorted.length - shown.length;
  const other: RowModel = {
    role: 'other',
    state: 'complete',
    colour: undefined,
    cells: [text(otherRows(rest)), ...Array.from({ length: 4 }, () => text(''))],
  };
  return {
    kind: 'table',
    title: shape.title,
    columns: [
      { label: budgets.budget, role: 'name', align: 'left' },
      { label: '', role: 'bar', align: 'left', hasTrack: true },
      { label: budgets.spend, role: 'figure', align: 'right' },
      { label: budgets.used, role: 'figure', align: 'right' },
      {
        label: shown.some(({ forecast }) => forecast?.accuracy !== undefined)
          ? budgets.forecastError
          : budgets.forecast,
        role: 'figure',
        align: 'right',
      },
    ],
    rows: [...shown.map((one) => rowOf(one, context)), ...(rest > 0 ? [other] : [])],
  };
};
