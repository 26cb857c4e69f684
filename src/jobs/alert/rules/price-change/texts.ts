import type { PriceReason } from '../../../../monitoring/index.ts';

/** The texts of mails about prices; figures and moments are formatted, `name` is that of a price in the YAML. */
export type PriceTexts = {
  readonly title: Readonly<Record<PriceReason, (model: string) => string>>;
  /** A class with its prices of a million tokens; `change` is missing where one of them is 0. */
  readonly price: (facts: {
    readonly name: string;
    readonly before: string;
    readonly after: string;
    readonly change: string | undefined;
  }) => string;
  readonly what: Readonly<
    Record<PriceReason, (model: string, key: string | undefined, prices: string) => string>
  >;
  /** What it costs in 30 days at the present volume. */
  readonly month: (amount: string, isMore: boolean) => string;
  readonly advice: Readonly<Record<PriceReason, string>>;
  readonly noFurther: (word: string) => string;
  readonly recoveredTitle: (model: string) => string;
  readonly recovered: (model: string) => string;
  /** How often such an alert was wrong. */
  readonly measured: (months: string, alarms: string) => string;
  readonly currentState: string;
};
