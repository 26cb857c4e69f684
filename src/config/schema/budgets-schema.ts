import { z } from 'zod';
import { divideMoney, money, multiplyMoney, tagNames, type Money } from '../../core/index.ts';
import { accountName, addressee, amount, teamName, zone } from './fields.ts';
import { fieldNotes } from './notes.ts';

const percentPattern = /^\d{1,4}(\.\d{1,2})?%$/;

const thresholdMessage = 'a percentage such as "80%", or an amount such as 9500';

/** As written, with the amount or the percentage. */
export type WrittenThreshold = { readonly label: string } & (
  | { readonly percent: Money }
  | { readonly amount: Money }
);

export const threshold = z
  .union([z.string().regex(percentPattern), amount], { error: `must be ${thresholdMessage}` })
  .register(fieldNotes, { description: thresholdMessage, advice: 'write "80%" in quotes, or an amount' })
  .transform((written): WrittenThreshold =>
    written.endsWith('%')
      ? { label: written, percent: money(written.slice(0, -1)) }
      : { label: written, amount: written as Money },
  );

/** The threshold in the currency of the budget. */
export const thresholdAmount = (threshold: WrittenThreshold, budget: Money): Money =>
  'amount' in threshold
    ? threshold.amount
    : (divideMoney(multiplyMoney(budget, threshold.percent), money('100'), 20) ?? money('0'));

const thresholds = (what: string, usual: readonly string[]) =>
  z
    .array(threshold)
    .max(20)
    .prefault([...usual])
    .describe(
      `Levels of ${what} at which the budget alerts, ascending: percentages of its amount, or amounts. [] for none.`,
    );

const pattern = z.string().min(1);

/** Keys of which a budget has at most one. */
export const scopeKeys = ['team', 'service', 'keys', 'model', 'tag'] as const;

/** A budget with a name; the rules of budgets check what depends on several of its keys. */
export const budgetSchema = z.strictObject({
  account: accountName
    .optional()
    .describe('Account of the budget. Optional if exactly one account is declared.'),
  team: teamName.optional().describe('Team whose spend counts.'),
  service: pattern.optional().describe('Service whose spend counts, across rotations of its key.'),
  keys: pattern
    .optional()
    .describe('Pattern of the names or services of the API keys whose spend counts; * matches any text.'),
  model: pattern.optional().describe('Pattern of the models whose spend counts; * matches any text.'),
  tag: z
    .partialRecord(
      z.enum(tagNames),
      z
        .string()
        .min(1)
        .transform((text) => text.normalize('NFC')),
    )
    .optional()
    .describe('Tag whose spend counts, as a map with one entry: { environment: production }.'),
  amount: amount.describe('Amount for one period.'),
  currency: z
    .enum(['USD', 'CNY'])
    .optional()
    .describe('Currency of the amount. It must be the currency of the account, which is the default.'),
  period: z
    .enum(['day', 'week', 'month', 'quarter'])
    .default('month')
    .describe('Period of the budget. Weeks begin on Monday.'),
  anchor_day: z
    .int()
    .min(1)
    .max(28)
    .optional()
    .describe('Day of the month on which the period begins, from 1 to 28. Only with period: month.'),
  timezone: zone
    .optional()
    .describe('Time zone in which the days of the budget begin. Defaults to timezone in tollkeeper.yaml.'),
  thresholds: thresholds('the spend so far', ['80%', '100%']),
  forecast_thresholds: thresholds('the forecast for the whole period', ['100%']),
  owner: z
    .array(addressee)
    .default([])
    .describe('Recipients of alerts in addition to mail.operators: mail addresses or names of routes.'),
});

export type WrittenBudget = z.output<typeof budgetSchema>;
