import type { Budget, Forecast, Level } from '../../../../monitoring/index.ts';
import type { BudgetStatus } from './stored.ts';

type Reason = NonNullable<BudgetStatus['reason']>;

/** What is unknown about a budget, without a full stop, and the next step. */
type ReasonText = { readonly what: string; readonly toDo: string };

type ReasonFacts = {
  readonly scope: string;
  readonly account: string;
  readonly at: (seconds: number) => string;
};

/** A figure beside its budget; `atLeast` if data is missing. */
type Share = {
  readonly amount: string;
  readonly percent: string;
  readonly budget: string;
  readonly atLeast: boolean;
};

/** The texts of mails about budgets; figures and moments are formatted. */
export type BudgetTexts = {
  readonly scope: (scope: Budget['scope']) => string;
  readonly ofAccount: (scope: string, account: string) => string;
  readonly period: (range: string, zone: string) => string;
  readonly level: (on: Level['on'], label: string) => string;
  /** In place of a percentage of nothing. */
  readonly moreThanNothing: string;
  readonly share: (share: Share) => string;
  readonly title: (budget: string, on: Level['on'], share: string) => string;
  /** `over` is missing when the figure equals the threshold. */
  readonly exceeded: (facts: {
    readonly on: Level['on'];
    readonly share: string;
    readonly over: string | undefined;
    readonly threshold: string;
  }) => string;
  /** A further threshold that was reached: a share of the budget such as `80%`, or an amount. */
  readonly also: (on: Level['on'], threshold: string, isShare: boolean) => string;
  readonly outlook: {
    readonly ended: string;
    readonly tooEarly: string;
    readonly none: string;
    readonly expected: (facts: {
      readonly method: Forecast['method'];
      /** The days that a pace is of. */
      readonly days: number;
      readonly amount: string;
      readonly low: string;
      readonly high: string;
      readonly range: Forecast['range'];
      readonly end: string;
      /** Undefined where the amount is that of the budget. */
      readonly difference: string | undefined;
      readonly isOver: boolean;
    }) => string;
  };
  /** Commands take the word of the budget. */
  readonly operatorAdvice: (word: string) => string;
  readonly ownerAdvice: (operators: string) => string;
  readonly noFurther: string;
  readonly allBudgets: string;
  readonly recovered: {
    readonly title: (budget: string, share: string | undefined) => string;
    readonly what: (levels: string, on: Level['on']) => string;
    readonly now: (share: string) => string;
  };
  readonly models: string;
  readonly services: string;
  readonly others: (count: number) => string;
  readonly unknown: {
    readonly title: (budgets: number) => string;
    readonly reasons: {
      readonly [Kind in Reason['kind']]: (
        reason: Extract<Reason, { readonly kind: Kind }>,
        facts: ReasonFacts,
      ) => ReasonText;
    };
    readonly sentence: (what: string) => string;
    readonly known: (facts: Omit<Share, 'atLeast'> & { readonly through: string }) => string;
    readonly closing: string;
    readonly recoveredTitle: string;
    readonly recovered: (account: string) => string;
  };
};

/** Why the state of a budget is unknown, in a language. */
export const reasonText = (reason: Reason, facts: ReasonFacts, { unknown }: BudgetTexts): ReasonText => {
  const write = unknown.reasons[reason.kind] as (one: Reason, facts: ReasonFacts) => ReasonText;
  return write(reason, facts);
};
