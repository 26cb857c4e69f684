import { compareMoney, formatMoment, money, shellWord, subtractMoney } from '../../../core/index.ts';
import {
  describeScope,
  levelName,
  type AlertRecord,
  type Assessment,
  type Level,
} from '../../../monitoring/index.ts';
import type { AlertBlock } from '../../../reports/index.ts';
import {
  notification,
  percentOf,
  show,
  type MessageContext,
  type AlertNotification,
} from './notification.ts';

type Lines = AlertBlock['lines'];

const periodText = ({ budget, period }: Assessment): string =>
  `${formatMoment(period.start, budget.zone)} to ${formatMoment(period.end, budget.zone)}`;

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
  const excess =
    compareMoney(over, money('0')) > 0
      ? `${show(over, assessment)} over the threshold of`
      : 'at the threshold of';
  const subject =
    level.on === 'actual'
      ? `Spend is ${reason === undefined ? '' : 'at least '}${show(figure, assessment)}`
      : `The forecast for the period is ${show(figure, assessment)}`;
  return `${subject}, ${percentOf(figure, budget.amount)} of the budget of ${show(budget.amount, assessment)}, ${excess} ${level.label}`;
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

/** Covers every threshold crossed since the last evaluation. */
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
