import {
  absoluteMoney,
  divideMoney,
  durationText,
  formatMoment,
  money,
  multiplyMoney,
  subtractMoney,
  toSeconds,
  trimEndOf,
  unixMillis,
  zero,
  type Money,
} from '../../../core/index.ts';
import { formatMoney, localeOf } from '../../../messages/index.ts';
import { nameOfHeadline } from '../../../reports/index.ts';
import type { SendCondition, SendFact, Sending } from './send-when.ts';

/** Runs, commands and the page are in English. */
const english = localeOf('en');

const figureText = (figure: string): string =>
  figure === nameOfHeadline ? 'the total' : `the figure ${figure}`;

/** Only currencies have the form of an amount; other units are of ratios, seconds or counts. */
const amountText = (amount: string, unit: string | null): string =>
  unit !== null && /^[A-Z]{3}$/.test(unit)
    ? formatMoney(money(amount), unit, english)
    : `${amount}${unit === null ? '' : ` (${unit})`}`;

/** A percentage cut after the decimals of the limit, and one at least, so that it never seems to reach a limit that it does not. */
const percentText = (percent: Money, limit: string): string => {
  const places = Math.max(1, limit.slice(0, -1).split('.')[1]?.length ?? 0);
  const [whole = '', digits = ''] = percent.split('.');
  const decimals = trimEndOf(digits.slice(0, places), '0');
  return `${whole}${decimals === '' ? '' : `.${decimals}`}%`;
};

const changeText = (
  { figure, before, now, unit, by }: Extract<SendFact, { because: 'change' }>,
  holds: boolean,
): string => {
  const [first, second] = [money(before), money(now)];
  const moved = absoluteMoney(subtractMoney(second, first));
  if (moved === zero) return `${figureText(figure)} did not change`;
  const isRatio = by.endsWith('%');
  const percent = isRatio
    ? divideMoney(multiplyMoney(moved, money('100')), absoluteMoney(first), 12)
    : undefined;
  const size =
    percent === undefined
      ? `from ${amountText(before, unit)} to ${amountText(now, unit)}`
      : `by ${percentText(percent, by)}`;
  const limit = isRatio ? by : amountText(by, unit);
  return `${figureText(figure)} changed ${size}, ${holds ? 'at least' : 'below'} ${limit}`;
};

const factText = (fact: SendFact, sent: boolean, zone: string): string => {
  switch (fact.because) {
    case 'first':
      return 'no report of this job was sent before';
    case 'damaged':
      return 'the report before cannot be read';
    case 'unknown':
      return `${fact.of === 'this' ? 'it' : 'the last report'} has no exact value of ${figureText(fact.figure)}`;
    case 'currency':
      return `its currency is ${fact.now} in place of ${fact.before}`;
    case 'verdict':
      return `its verdict is ${fact.verdict}`;
    case 'late':
      return 'data is late';
    case 'interval':
      return `the last report that was sent is that of ${formatMoment(toSeconds(unixMillis(Date.parse(fact.last))), zone)}, ${durationText(fact.after)} before`;
    case 'change':
      return changeText(fact, sent);
    case 'amount':
      return `the total of ${amountText(fact.total, fact.unit)} is ${sent ? 'above' : 'not above'} ${amountText(fact.above, fact.unit)}`;
    case 'rows':
      return fact.isEmpty ? 'it is empty' : 'it is not empty';
    default:
      return fact satisfies never;
  }
};

/** `not sent: the total changed by 2%, below 10%` */
export const sendingText = ({ sent, facts }: Sending, zone: string): string =>
  `${sent ? 'sent' : 'not sent'}: ${facts.map((fact) => factText(fact, sent, zone)).join('; ')}`;

const conditionText = (condition: SendCondition): string => {
  if (condition === 'not_empty') return 'it is not empty';
  if ('above' in condition) return `the total is above ${condition.above}`;
  const { figure, by } = condition.changed;
  return `${figureText(figure)} changed by at least ${by.label} since the last report that was sent`;
};

/** Faults of the configuration. */
export const silentText = (space: number, atLeastEvery: number): string =>
  `has no effect: the job runs every ${durationText(space)}, and a report is sent if the last one is ${durationText(atLeastEvery)} old`;

export const unknownFigureText = (report: string, figure: string, known: readonly string[]): string =>
  `the report ${report} has no figure ${figure}; it has ${known.join(', ')}`;

/** What a plan says. */
export const conditionsText = (conditions: readonly SendCondition[], atLeastEvery: number): string =>
  `send it if ${conditions.map(conditionText).join(' and ')}, or if the last one is ${durationText(atLeastEvery)} old`;
