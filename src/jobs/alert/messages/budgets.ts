import {
  absoluteMoney,
  compareMoney,
  dateAt,
  daySeconds,
  shellWord,
  unixSeconds,
  zero,
  type UnixSeconds,
} from '../../../core/index.ts';
import {
  describeScope,
  levelName,
  type AlertRecord,
  type Assessment,
  type Level,
} from '../../../monitoring/index.ts';
import { shownDifference, type AlertBlock } from '../../../reports/index.ts';
import type { Explanation } from '../read-explanations.ts';
import {
  english,
  momentText,
  notification,
  percentOf,
  show,
  type MessageContext,
  type AlertNotification,
} from './notification.ts';

type Lines = AlertBlock['lines'];

const periodText = ({ budget, period }: Assessment): string =>
  `${english.range(dateAt(period.start, budget.zone), dateAt(unixSeconds(period.end - 1), budget.zone))} (${budget.zone})`;

const hasEnded = ({ through, period }: Assessment): boolean => through !== undefined && through >= period.end;

const meterOf = ({ budget, spend, forecast }: Assessment): NonNullable<AlertBlock['meter']> => ({
  value: spend ?? zero,
  of: budget.amount,
  ...(forecast === undefined ? {} : { forecast: forecast.amount }),
});

const figureOf = (level: Level, { spend, forecast }: Assessment) =>
  level.on === 'actual' ? spend : forecast?.amount;

/** `$0.20, 100% of $0.20` */
const shareText = (level: Level, assessment: Assessment): string => {
  const { budget } = assessment;
  const figure = figureOf(level, assessment);
  if (figure === undefined) return level.label;
  const atLeast = assessment.reason === undefined ? '' : 'at least ';
  return `${atLeast}${show(figure, assessment)}, ${percentOf(figure, budget.amount)} of ${show(budget.amount, assessment)}`;
};

const exceededText = (level: Level, assessment: Assessment): string => {
  const figure = figureOf(level, assessment);
  if (figure === undefined) return '';
  const over = shownDifference(figure, level.amount);
  const excess =
    compareMoney(over.amount, zero) > 0
      ? `${show(over.amount, assessment, over.decimals)} over the threshold of`
      : 'at the threshold of';
  const subject = level.on === 'actual' ? 'Spend is' : 'The forecast for the period is';
  return `${subject} ${shareText(level, assessment)}, ${excess} ${level.label}.`;
};

/** `the last 14 days, 12 of them before this period` */
const basisText = (paceFrom: UnixSeconds, through: UnixSeconds, start: UnixSeconds): string => {
  const days = (seconds: number): number => Math.round(seconds / daySeconds);
  const [all, before] = [days(through - paceFrom), days(Math.min(start, through) - paceFrom)];
  return `the last ${all} days${before > 0 ? `, ${before} of them before this period` : ''}`;
};

const outlookText = (assessment: Assessment): string => {
  const { budget, forecast, isTooEarly, period, through } = assessment;
  if (hasEnded(assessment)) return 'The period has ended.';
  if (isTooEarly) return 'There is no forecast yet: the call log covers less than seven days.';
  if (forecast === undefined || through === undefined)
    return 'A forecast is not possible with the available data.';
  const { amount, decimals } = shownDifference(forecast.amount, budget.amount);
  const result = `${show(absoluteMoney(amount), assessment, decimals)} ${compareMoney(amount, zero) > 0 ? 'over' : 'under'} the budget`;
  const range = `between ${show(forecast.low, assessment)} and ${show(forecast.high, assessment)}`;
  return `At the pace of ${basisText(forecast.paceFrom, through, period.start)}, the spend is ${show(forecast.amount, assessment)} (${range}) when the period ends on ${momentText(period.end, budget.zone)}: ${result}.`;
};

const operatorAdvice = (budget: string): string =>
  `Find out what uses the models and services named here, or raise the budget. \`tollkeeper alerts mute ${shellWord(budget)} --until DATE\` stops notifications, \`tollkeeper alerts ack ${shellWord(budget)}\` records that you have seen this.`;

const ownerAdvice = (operators: readonly string[]): string =>
  `Check whether you expect the use of the models and services named here.${operators.length === 0 ? '' : ` To change the budget or its recipients, ask ${operators.join(', ')}.`}`;

type Readers = {
  readonly to: readonly string[];
  readonly isOperator: boolean;
  /** The setting that holds them. */
  readonly recipients: string;
};

/** Operators get commands, other recipients what to look at: one message for each, under one ID. */
const forReaders = (
  { budget }: Assessment,
  { operators }: MessageContext,
  messageFor: (readers: Readers) => AlertNotification,
): readonly AlertNotification[] => {
  const owners = budget.owner.filter((one) => !operators.includes(one));
  const team = budget.name === `team-${budget.scope.kind === 'team' ? budget.scope.name : ''}`;
  const setting = team ? `teams.${budget.name.slice('team-'.length)}.mail` : `budgets.${budget.name}.owner`;
  return [
    ...(operators.length === 0
      ? []
      : [messageFor({ to: operators, isOperator: true, recipients: 'mail.operators' })]),
    ...(owners.length === 0 ? [] : [messageFor({ to: owners, isOperator: false, recipients: setting })]),
  ];
};

const commands = '`tollkeeper alerts` shows all budgets.';

/** Covers every threshold crossed since the last evaluation. */
export const budgetAlert = (
  records: readonly AlertRecord[],
  assessment: Assessment,
  explanation: Explanation | undefined,
  context: MessageContext,
): readonly AlertNotification[] => {
  const { budget, levels } = assessment;
  const raised = levels.filter((level) => records.some((record) => record.level === levelName(level)));
  const highest = raised.findLast(({ on }) => on === 'actual') ?? raised.at(-1);
  if (highest === undefined) return [];
  const also = raised.filter((level) => level !== highest).map((level) => levelName(level));
  const lines = (toDo: string): Lines => [
    ['What', exceededText(highest, assessment)],
    ...(also.length === 0
      ? []
      : [['Also', `reached since the last evaluation: ${also.join(', ')}`] as const]),
    ...(explanation?.cause === undefined ? [] : [['Cause', explanation.cause] as const]),
    ['Outlook', outlookText(assessment)],
    ['What to do', toDo],
    ['Scope', `${describeScope(budget)} (account ${context.account})`],
    ['Period', periodText(assessment)],
    ...(assessment.through === undefined
      ? []
      : [['Data through', momentText(assessment.through, budget.zone)] as const]),
  ];
  return forReaders(assessment, context, ({ isOperator, ...readers }) =>
    notification('alert', records, {
      title: `Budget ${budget.name}: ${highest.on === 'forecast' ? 'forecast ' : ''}${shareText(highest, assessment)}`,
      ...readers,
      blocks: [
        {
          tone: 'bad',
          lines: lines(isOperator ? operatorAdvice(budget.name) : ownerAdvice(context.operators)),
          meter: meterOf(assessment),
          tables: explanation?.tables ?? [],
        },
      ],
      closing: [
        'No further mail is sent about these thresholds in this period. One is sent if the figure falls below them again.',
        ...(isOperator ? [commands] : []),
      ],
    }),
  );
};

/** A figure that fell in its own period; the end of a period is no recovery. */
export const budgetRecovery = (
  records: readonly AlertRecord[],
  assessment: Assessment,
  context: MessageContext,
): readonly AlertNotification[] => {
  const { budget, spend } = assessment;
  const isActual = records.some(({ level }) => level.startsWith('actual'));
  const levels = records.map(({ level }) => level).join(', ');
  const now =
    spend === undefined
      ? ''
      : `${show(spend, assessment)}, ${percentOf(spend, budget.amount)} of ${show(budget.amount, assessment)}`;
  const why = isActual
    ? 'The gateway restated or refunded charges, or the budget was raised.'
    : 'The forecast fell; the spend did not reach the threshold.';
  return forReaders(assessment, context, ({ isOperator, ...readers }) =>
    notification('recovered', records, {
      title: `Budget ${budget.name} is below its threshold again${now === '' ? '' : `: ${now}`}`,
      ...readers,
      blocks: [
        {
          tone: 'good',
          lines: [
            ['What', `No longer reached: ${levels}. ${why}`],
            ...(now === '' ? [] : [['Now', `Spend is ${now}.`] as const]),
            ['Outlook', outlookText(assessment)],
            ['Scope', `${describeScope(budget)} (account ${context.account})`],
            ['Period', periodText(assessment)],
          ],
          meter: meterOf(assessment),
        },
      ],
      closing: isOperator ? [commands] : [],
    }),
  );
};
