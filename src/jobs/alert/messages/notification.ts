import { createHash } from 'node:crypto';
import {
  dateAt,
  divideMoney,
  formatMoment,
  money,
  multiplyMoney,
  roundMoney,
  type Money,
  type UnixMillis,
  type UnixSeconds,
} from '../../../core/index.ts';
import type { AlertRecord, Assessment } from '../../../monitoring/index.ts';
import { formatMoney, localeOf } from '../../../messages/index.ts';
import { type AlertBlock } from '../../../reports/index.ts';

export type MessageContext = {
  readonly account: string;
  readonly zone: string;
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

export const english = localeOf('en');

/** `Nov 20, 2026, 14:00 Europe/Berlin`, with dates as in reports. */
export const momentText = (moment: UnixSeconds, zone: string): string => {
  const date = dateAt(moment, zone);
  return `${english.shortDay(date)}, ${date.slice(0, 4)}, ${formatMoment(moment, zone).slice('YYYY-MM-DD '.length)}`;
};

/** `104%` of a budget. */
export const percentOf = (part: Money, whole: Money): string => {
  const share = divideMoney(multiplyMoney(part, money('100')), whole, 4);
  return share === undefined ? 'more than 0' : `${roundMoney(share, 0)}%`;
};

export const show = (amount: Money, { budget }: Pick<Assessment, 'budget'>, decimals?: number): string =>
  formatMoney(amount, budget.currency, english, decimals);

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
