import { compareMoney, divideMoney, moneyAsShare, zero, type Money } from '../../../core/index.ts';
import type { Assessment } from '../../../monitoring/index.ts';
import type { BudgetsShape } from '../../definition/definition.ts';
import type { Context } from '../context.ts';
import { formatMoney, formatPercent } from '../format.ts';
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

const highest = (assessment: Assessment, on: 'actual' | 'forecast'): string | undefined =>
  assessment.levels.findLast((level) => level.on === on && level.state === 'exceeded')?.label;

const stateText = (assessment: Assessment, { locale }: Context): string => {
  const { budgets } = locale.messages;
  const { state, reason } = assessment;
  const reached = highest(assessment, 'actual');
  if (state === 'unknown' && reason !== undefined) return budgets.unknown[reason.kind];
  if (reached !== undefined) return budgets.reached(reached);
  const expected = highest(assessment, 'forecast');
  return expected === undefined ? budgets.ok : budgets.forecast(expected);
};

/** A threshold of which the state is not good news. */
const toneOf = ({ levels }: Assessment): 'good' | 'bad' =>
  levels.some(({ state }) => state === 'exceeded') ? 'bad' : 'good';

const rowOf = (assessment: Assessment, context: Context): RowModel => {
  const { locale } = context;
  const { budget, spend, forecast, reason, period, through } = assessment;
  const messages = locale.messages.budgets;
  const show = (amount: Money): string => formatMoney(amount, budget.currency, locale);
  const hasEnded = through !== undefined && through >= period.end;
  const used = spend === undefined ? undefined : shareOf(spend, budget.amount);
  return {
    role: 'row',
    state: 'complete',
    colour: undefined,
    cells: [
      text(showName(budget.name, 40)),
      {
        exact: null,
        text: '',
        length: Math.min(1, Math.max(0, usedShare(assessment))),
        tone: toneOf(assessment),
        hasTrack: true,
      },
      {
        exact: spend ?? null,
        text: messages.spent(
          spend === undefined ? '–' : `${reason === undefined ? '' : '≥ '}${show(spend)}`,
          show(budget.amount),
        ),
      },
      text(
        locale.list([
          ...(used === undefined ? [] : [formatPercent(used, locale)]),
          stateText(assessment, context),
          ...(forecast === undefined || hasEnded ? [] : [messages.expected(show(forecast.amount))]),
        ]),
      ),
    ],
  };
};

/** Budgets with their use, forecast and state at the end of the period; the ones used most first. */
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
    cells: [text(otherRows(rest)), ...Array.from({ length: 3 }, () => text(''))],
  };
  return {
    kind: 'table',
    title: shape.title,
    columns: [
      { label: budgets.budget, role: 'name', align: 'left' },
      { label: '', role: 'bar', align: 'left' },
      { label: budgets.spend, role: 'figure', align: 'left', isPhrase: true },
      { label: budgets.stateColumn, role: 'name', align: 'left', isPhrase: true },
    ],
    rows: [...shown.map((one) => rowOf(one, context)), ...(rest > 0 ? [other] : [])],
  };
};
