import { createHash } from 'node:crypto';
import {
  divideMoney,
  money,
  multiplyMoney,
  roundMoney,
  type Money,
  type UnixMillis,
} from '../../core/index.ts';
import { formatMoney, type Locale } from '../../messages/index.ts';
import type { AlertRecord, Assessment } from '../../monitoring/index.ts';
import type { AlertBlock } from '../../reports/index.ts';

export type MessageContext = {
  readonly account: string;
  readonly zone: string;
  readonly locale: Locale;
  readonly now: UnixMillis;
  readonly operators: readonly string[];
};

type AlertMessage = {
  readonly title: string;
  readonly to: readonly string[];
  readonly blocks: readonly AlertBlock[];
  readonly closing: readonly string[];
  /** The setting that holds `to`. */
  readonly recipients: string;
};

/** A notification of alerts. `id` is its subject in the outbox, where the same one is enqueued once. */
export type AlertNotification = AlertMessage & { readonly id: string };

export const show = (amount: Money, { budget }: Pick<Assessment, 'budget'>, locale: Locale): string =>
  formatMoney(amount, budget.currency, locale);

/** A figure beside its budget, of which it is a whole percentage. */
export const shareOf = (figure: Money, assessment: Pick<Assessment, 'budget'>, locale: Locale) => {
  const { amount } = assessment.budget;
  const percent = divideMoney(multiplyMoney(figure, money('100')), amount, 4);
  return {
    amount: show(figure, assessment, locale),
    percent: percent === undefined ? locale.alerts.moreThanNothing : locale.percent(roundMoney(percent, 0)),
    budget: show(amount, assessment, locale),
  };
};

/** The same alerts give the same fingerprint, so that they are notified once. */
const idOf = (event: 'alert' | 'recovered', records: readonly AlertRecord[]): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        event,
        records.map(({ alert, level, period }) => JSON.stringify([alert, level, period])).toSorted(),
      ]),
    )
    .digest('hex')
    .slice(0, 32);

export const notification = (
  event: 'alert' | 'recovered',
  records: readonly AlertRecord[],
  message: AlertMessage,
): AlertNotification => ({ id: idOf(event, records), ...message });
