import type { UnusualStatus } from './stored.ts';

export type UnusualOf = Pick<UnusualStatus, 'of' | 'name'>;

/** The texts of mails about unusual spend; figures and moments are formatted. */
export type UnusualTexts = {
  /** The account, a model or a service, within a sentence. */
  readonly scope: (of: UnusualOf) => string;
  /** The same by itself. */
  readonly heading: (of: UnusualOf) => string;
  readonly title: (of: UnusualOf, more: string) => string;
  /** Of several that begin together. */
  readonly titleOfSeveral: (of: UnusualOf, more: string, others: number) => string;
  readonly what: (facts: {
    readonly of: UnusualOf;
    readonly window: UnusualStatus['window'];
    readonly spend: string;
    readonly usual: string;
    readonly more: string;
  }) => string;
  readonly cause: (facts: {
    readonly calls: string;
    readonly usualCalls: string;
    readonly price: string | undefined;
    readonly usualPrice: string | undefined;
  }) => string;
  /** What cost more than in the same hours a week before: names with amounts. */
  readonly contributions: (parts: string) => string;
  readonly part: (model: string, service: string, more: string) => string;
  readonly advice: (word: string) => string;
  readonly noFurther: string;
  readonly recoveredTitle: (of: UnusualOf) => string;
  readonly recovered: (of: UnusualOf) => string;
  /** How often such an alert was wrong. */
  readonly measured: (weeks: string, alarms: string) => string;
  readonly currentState: string;
};
