import type { Money, TagName } from '../../core/index.ts';

/** The part of an account that a budget covers. `keys` and `model` are patterns, in which `*` matches any text. */
export type BudgetScope =
  | { readonly kind: 'account' }
  | { readonly kind: 'team' | 'service' | 'keys' | 'model'; readonly name: string }
  | { readonly kind: 'tag'; readonly tag: TagName; readonly name: string };

/** `account`, `team search`, `model gpt-*`. */
export const describeScope = (scope: BudgetScope): string => {
  if (scope.kind === 'account') return 'account';
  return scope.kind === 'tag' ? `${scope.tag} ${scope.name}` : `${scope.kind} ${scope.name}`;
};

export type BudgetPeriodKind = 'day' | 'week' | 'month' | 'quarter';

/** A level at which a budget alerts. */
export type Threshold = {
  /** As written: `80%` or `9500`. */
  readonly label: string;
  /** In the currency of the budget. */
  readonly amount: Money;
};

export type Budget = {
  readonly name: string;
  readonly scope: BudgetScope;
  readonly amount: Money;
  /** ISO 4217. */
  readonly currency: string;
  readonly period: BudgetPeriodKind;
  /** First day of a month-long period, from 1 to 28. */
  readonly anchorDay: number;
  /** IANA zone in which its days begin. */
  readonly zone: string;
  /** On the spend so far, ascending. */
  readonly thresholds: readonly Threshold[];
  /** On the forecast for the whole period, ascending. */
  readonly forecastThresholds: readonly Threshold[];
  /** Recipients in addition to the operators. */
  readonly owner: readonly string[];
};
