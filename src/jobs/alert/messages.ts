import { createHash } from 'node:crypto';
import {
  compareMoney,
  divideMoney,
  formatMoment,
  formatSlot,
  money,
  multiplyMoney,
  roundMoney,
  shellWord,
  subtractMoney,
} from '../../core/index.ts';
import type { Money, UnixMillis } from '../../core/index.ts';
import { describeScope, levelName } from '../../monitoring/index.ts';
import type { AlertRecord, Assessment, Level, RunwayStatus } from '../../monitoring/index.ts';
import { formatMoney, localeOf } from '../../reports/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import type { AlertNotification } from '../../warehouse/index.ts';
import type { AlertMessage } from './alert-message.ts';
import { reasonText } from './reason-text.ts';
import type { ReadRunway } from './read-runways.ts';

type Lines = AlertBlock['lines'];

export type MessageContext = {
  readonly account: string;
  readonly zone: string;
  readonly now: UnixMillis;
  readonly operators: readonly string[];
};

const english = localeOf('en');

const percentOf = (part: Money, whole: Money): string => {
  const share = divideMoney(multiplyMoney(part, money('100')), whole, 4);
  return share === undefined ? 'more than 0' : `${roundMoney(share, 0)}%`;
};

const show = (amount: Money, { budget }: Pick<Assessment, 'budget'>): string =>
  formatMoney(amount, budget.currency, english);

const periodText = ({ budget, period }: Assessment): string =>
  `${formatMoment(period.start, budget.zone)} to ${formatMoment(period.end, budget.zone)}`;

/** The fingerprint of what a notification is about: the same alerts make the same one. */
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

const notification = (
  event: 'alert' | 'recovered',
  records: readonly AlertRecord[],
  message: AlertMessage,
): AlertNotification => ({ id: idOf(event, records), content: JSON.stringify(message) });

const meterOf = ({ budget, spend, forecast }: Assessment): NonNullable<AlertBlock['meter']> => ({
  value: spend ?? money('0'),
  of: budget.amount,
  ...(forecast === undefined ? {} : { forecast }),
});

const exceededText = (level: Level, assessment: Assessment): string => {
  const { budget, spend, forecast, reason } = assessment;
  const figure = level.on === 'actual' ? spend : forecast;
  if (figure === undefined) return '';
  const over = subtractMoney(figure, level.amount);
  const excess = compareMoney(over, money('0')) > 0 ? `, ${show(over, assessment)} over` : '';
  const subject =
    level.on === 'actual'
      ? `Spend is ${reason === undefined ? '' : 'at least '}${show(figure, assessment)}`
      : `The forecast for the period is ${show(figure, assessment)}`;
  return `${subject}, ${percentOf(figure, budget.amount)} of the budget of ${show(budget.amount, assessment)}${excess} the threshold of ${level.label}`;
};

const outlookText = (assessment: Assessment): string => {
  const { budget, forecast, period, through } = assessment;
  if (through !== undefined && through >= period.end) return 'The period has ended.';
  if (forecast === undefined) return 'A forecast is not possible with the available data.';
  const over = subtractMoney(forecast, budget.amount);
  const result =
    compareMoney(over, money('0')) > 0
      ? `${show(over, assessment)} over the budget`
      : `${show(subtractMoney(budget.amount, forecast), assessment)} under the budget`;
  return `At the current pace, the spend is ${show(forecast, assessment)} when the period ends on ${formatMoment(period.end, budget.zone)}: ${result}.`;
};

const toDoText = (budget: string): string =>
  `Reduce the use that the cause names, or raise the budget. \`tollkeeper alerts mute ${shellWord(budget)} --until DATE\` stops notifications, \`tollkeeper alerts ack ${shellWord(budget)}\` records that you have seen this.`;

/** The alert of a budget: every threshold that was crossed since the last evaluation. */
export const budgetAlert = (
  records: readonly AlertRecord[],
  assessment: Assessment,
  cause: string | undefined,
  { account, operators }: MessageContext,
): AlertNotification => {
  const { budget, levels } = assessment;
  const raised = levels.filter((level) => records.some((record) => record.level === levelName(level)));
  const highest = raised.findLast(({ on }) => on === 'actual') ?? raised.at(-1);
  const also = raised.filter((level) => level !== highest).map((level) => levelName(level));
  const title =
    highest?.on === 'forecast'
      ? `budget ${budget.name} is forecast to exceed ${highest.label}`
      : `budget ${budget.name} has reached ${highest?.label ?? ''}`;
  const lines: Lines = [
    ...(highest === undefined ? [] : [['What', `${exceededText(highest, assessment)}.`] as const]),
    ...(also.length === 0
      ? []
      : [['Also', `reached since the last evaluation: ${also.join(', ')}`] as const]),
    ['Cause', cause ?? 'The cause cannot be determined: there is no comparable earlier period.'],
    ['Outlook', outlookText(assessment)],
    ['What to do', toDoText(budget.name)],
    ['Scope', `${describeScope(budget)} (account ${account})`],
    ['Period', periodText(assessment)],
    ...(assessment.through === undefined
      ? []
      : [['Data through', formatMoment(assessment.through, budget.zone)] as const]),
  ];
  return notification('alert', records, {
    title,
    to: [...operators, ...budget.owner],
    blocks: [{ tone: 'bad', lines, meter: meterOf(assessment) }],
    closing: [
      'No further mail is sent about these thresholds in this period. One is sent when the alert ends.',
      '`tollkeeper alerts` shows all budgets.',
    ],
  });
};

/** The end of the alerts of a budget in one period. */
export const budgetRecovery = (
  records: readonly AlertRecord[],
  assessment: Assessment,
  { account, operators }: MessageContext,
): AlertNotification => {
  const { budget, period, spend } = assessment;
  const [record] = records;
  const hasEnded = record !== undefined && Number(record.period) < period.start;
  const levels = records.map(({ level }) => level).join(', ');
  return notification('recovered', records, {
    title: `budget ${budget.name} has recovered`,
    to: [...operators, ...budget.owner],
    blocks: [
      {
        tone: 'good',
        lines: [
          [
            'What',
            hasEnded
              ? `The period of the alert has ended, and a new one has begun: ${levels}.`
              : `The figures are below the threshold again: ${levels}.`,
          ],
          ...(spend === undefined
            ? []
            : [
                [
                  'Now',
                  `Spend is ${show(spend, assessment)}, ${percentOf(spend, budget.amount)} of the budget of ${show(budget.amount, assessment)}.`,
                ] as const,
              ]),
          ['Outlook', outlookText(assessment)],
          ['Scope', `${describeScope(budget)} (account ${account})`],
          ['Period', periodText(assessment)],
        ],
        meter: meterOf(assessment),
      },
    ],
    closing: ['`tollkeeper alerts` shows all budgets.'],
  });
};

const runwayName = ({ alert, kind }: ReadRunway, account: string): string =>
  kind === 'runway' ? `balance of ${account}` : `quota of the key ${alert.slice('key:'.length)}`;

const dayCount = (days: number): string => (days < 10 ? days.toFixed(1) : String(Math.round(days)));

/** The range of days, as text: `5.2 days (4.1 to 7.3)`. */
export const runwayText = ({
  state,
  days = 0,
  low = 0,
  high = Number.POSITIVE_INFINITY,
}: Pick<RunwayStatus, 'state' | 'days' | 'low' | 'high'>): string => {
  if (state === 'unknown') return 'unknown';
  if (state === 'unused') return 'unlimited at the current pace: nothing was used';
  const upper = Number.isFinite(high) ? `to ${dayCount(high)}` : 'or more';
  return `${dayCount(days)} days (${dayCount(low)} ${upper})`;
};

export const runwayAlert = (
  records: readonly AlertRecord[],
  read: ReadRunway,
  { account, operators, zone }: MessageContext,
): AlertNotification => {
  const { runway, readAt, alert } = read;
  const name = runwayName(read, account);
  return notification('alert', records, {
    title: `the ${name} lasts ${runway.state === 'known' ? `${dayCount(runway.days)} more days` : 'an unknown time'}`,
    to: operators,
    blocks: [
      {
        tone: 'bad',
        lines: [
          ['What', `At the current pace, the ${name} is used up in ${runwayText(runway)}.`],
          ...(runway.state === 'known'
            ? [
                [
                  'Left',
                  `${runway.left}, as the gateway counts; ${roundMoney(runway.perDay, 2)} are used per day`,
                ] as const,
                ['Used up', formatSlot(runway.emptyAt, zone)] as const,
              ]
            : []),
          [
            'What to do',
            read.kind === 'runway'
              ? 'Top up the account at the gateway before that day. Calls fail once the balance is used up.'
              : 'Raise the quota of the key, or rotate it: calls with the key fail once its quota is used up.',
          ],
          ['Account', account],
          ...(readAt === undefined ? [] : [['Read', formatSlot(readAt, zone)] as const]),
        ],
      },
    ],
    closing: [
      `No further mail is sent about this level until the ${read.kind === 'runway' ? 'balance' : 'quota'} has risen. \`tollkeeper alerts mute ${shellWord(alert)} --until DATE\` stops notifications.`,
    ],
  });
};

export const runwayRecovery = (
  records: readonly AlertRecord[],
  read: ReadRunway,
  { account, operators }: MessageContext,
): AlertNotification => {
  const name = runwayName(read, account);
  return notification('recovered', records, {
    title: `the ${name} suffices again`,
    to: operators,
    blocks: [
      {
        tone: 'good',
        lines: [
          ['What', `At the current pace, the ${name} lasts ${runwayText(read.runway)}.`],
          ['Account', account],
        ],
      },
    ],
    closing: ['`tollkeeper alerts` shows the current state.'],
  });
};

/** More budgets than this make a mail that nobody reads. */
const mostNamed = 20;

/** The state of these budgets has been unknown for a while. */
export const unknownAlert = (
  records: readonly AlertRecord[],
  assessments: readonly Assessment[],
  { account, operators }: MessageContext,
): AlertNotification => {
  const count = assessments.length === 1 ? '1 budget' : `${assessments.length} budgets`;
  return notification('alert', records, {
    title: `the state of ${count} is unknown`,
    to: [...operators, ...assessments.flatMap(({ budget }) => budget.owner)],
    blocks: assessments.slice(0, mostNamed).map((assessment): AlertBlock => {
      const { budget, reason, spend, through } = assessment;
      const why =
        reason === undefined
          ? undefined
          : reasonText(reason, { zone: budget.zone, scope: describeScope(budget), account });
      return {
        heading: budget.name,
        tone: 'bad',
        lines: [
          ['Reason', `${why?.what ?? 'unknown'}.`],
          ...(spend === undefined || through === undefined || reason?.kind === 'no-calls'
            ? []
            : [
                [
                  'Known',
                  `Spend is at least ${show(spend, assessment)} through ${formatMoment(through, budget.zone)}, ${percentOf(spend, budget.amount)} of the budget of ${show(budget.amount, assessment)}.`,
                ] as const,
              ]),
          ...(why === undefined ? [] : [['What to do', why.toDo] as const]),
        ],
      };
    }),
    closing: [
      ...(assessments.length > mostNamed ? [`… and ${assessments.length - mostNamed} more.`] : []),
      'Thresholds are not evaluated until then. No further mail is sent until the state is known again.',
    ],
  });
};

export const unknownRecovery = (
  records: readonly AlertRecord[],
  { account, operators, now, zone }: MessageContext,
): AlertNotification =>
  notification('recovered', records, {
    title: 'the state of all budgets is known again',
    to: operators,
    blocks: [
      {
        tone: 'good',
        lines: [
          ['What', `All budgets of the account ${account} are evaluated again.`],
          ['When', formatSlot(now, zone)],
        ],
      },
    ],
    closing: ['`tollkeeper alerts` shows all budgets.'],
  });
