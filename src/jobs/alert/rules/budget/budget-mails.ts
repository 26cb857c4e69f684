import {
  absoluteMoney,
  compareMoney,
  dateAt,
  daySeconds,
  divideMoney,
  money,
  multiplyMoney,
  roundMoney,
  shellWord,
  subtractMoney,
  unixSeconds,
  zero,
  type Money,
} from '../../../../core/index.ts';
import { accuracyText, formatMoney, linesOf, type Locale } from '../../../../messages/index.ts';
import { levelName, type Assessment, type Level } from '../../../../monitoring/index.ts';
import { type AlertBlock } from '../../../../reports/index.ts';
import { noticeOf, type AlertNotice, type RecordGroup, type MailContext } from '../../rule.ts';
import { textsIn } from './languages.ts';
import type { Explanation } from './read-explanations.ts';

const show = (amount: Money, { budget }: Pick<Assessment, 'budget'>, locale: Locale): string =>
  formatMoney(amount, budget.currency, locale);

/** A figure beside its budget, of which it is a whole percentage. */
export const shareOf = (figure: Money, assessment: Pick<Assessment, 'budget'>, locale: Locale) => {
  const { amount } = assessment.budget;
  const percent = divideMoney(multiplyMoney(figure, money('100')), amount, 4);
  return {
    amount: show(figure, assessment, locale),
    percent: percent === undefined ? textsIn(locale).moreThanNothing : locale.percent(roundMoney(percent, 0)),
    budget: show(amount, assessment, locale),
  };
};

const meterOf = ({ budget, spend, forecast }: Assessment): NonNullable<AlertBlock['meter']> => ({
  value: spend ?? zero,
  of: budget.amount,
  ...(forecast === undefined ? {} : { forecast: forecast.amount }),
});

const figureOf = (on: Level['on'], { spend, forecast }: Assessment) =>
  on === 'actual' ? spend : forecast?.amount;

/** Thresholds are labelled as the config writes them. */
const labelText = (label: string, locale: Locale): string => {
  const figure = label.replace('.', locale.decimalMark);
  return figure.endsWith('%') ? locale.percent(figure.slice(0, -1)) : figure;
};

const levelText = ({ on, label }: Pick<Level, 'on' | 'label'>, locale: Locale): string =>
  textsIn(locale).level(on, labelText(label, locale));

/** `$0.20, 100% of $0.20` */
const shareText = ({ on, label }: Level, assessment: Assessment, locale: Locale): string => {
  const figure = figureOf(on, assessment);
  return figure === undefined
    ? labelText(label, locale)
    : textsIn(locale).share({
        ...shareOf(figure, assessment, locale),
        atLeast: assessment.reason !== undefined,
      });
};

const exceededText = (level: Level, assessment: Assessment, locale: Locale): string | undefined => {
  const figure = figureOf(level.on, assessment);
  if (figure === undefined) return undefined;
  const over = subtractMoney(figure, level.amount);
  return textsIn(locale).exceeded({
    on: level.on,
    share: shareText(level, assessment, locale),
    over: compareMoney(over, zero) > 0 ? show(over, assessment, locale) : undefined,
    threshold: labelText(level.label, locale),
  });
};

const outlookText = (assessment: Assessment, locale: Locale): string => {
  const { budget, forecast, isTooEarly, period, through } = assessment;
  const { outlook } = textsIn(locale);
  if (through !== undefined && through >= period.end) return outlook.ended;
  if (isTooEarly) return outlook.tooEarly;
  if (forecast === undefined || through === undefined) return outlook.none;
  const over = subtractMoney(forecast.amount, budget.amount);
  const daysTo = (end: number): number => Math.round((end - forecast.paceFrom) / daySeconds);
  const expected = outlook.expected({
    method: forecast.method,
    range: forecast.range,
    days: daysTo(through),
    amount: show(forecast.amount, assessment, locale),
    low: show(forecast.low, assessment, locale),
    high: show(forecast.high, assessment, locale),
    end: locale.moment(period.end, budget.zone),
    difference: over === zero ? undefined : show(absoluteMoney(over), assessment, locale),
    isOver: compareMoney(over, zero) > 0,
  });
  const accuracy = accuracyText(forecast.accuracy, locale);
  return accuracy === undefined ? expected : locale.sentences([expected, accuracy]);
};

const scopeAndPeriod = ({ budget, period }: Assessment, { account, locale }: MailContext) => {
  const { scope, ofAccount, period: periodText } = textsIn(locale);
  const last = unixSeconds(period.end - 1);
  return {
    scope: ofAccount(scope(budget.scope), account),
    period: periodText(
      locale.range(dateAt(period.start, budget.zone), dateAt(last, budget.zone)),
      budget.zone,
    ),
  };
};

type Readers = {
  readonly to: readonly string[];
  readonly isOperator: boolean;
  /** The setting that holds them. */
  readonly recipients: string;
};

/** Operators get commands, other recipients what to look at: one message for each, under one ID. */
const forReaders = (
  { budget }: Assessment,
  { operators }: MailContext,
  messageFor: (readers: Readers) => AlertNotice,
): readonly AlertNotice[] => {
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

const alsoText = ({ on, label, amount }: Level, assessment: Assessment, locale: Locale): string => {
  const isShare = label.endsWith('%');
  const threshold = isShare ? labelText(label, locale) : show(amount, assessment, locale);
  return textsIn(locale).also(on, threshold, isShare);
};

/** Covers every threshold crossed since the last evaluation. */
export const budgetAlert = (
  records: RecordGroup,
  assessment: Assessment,
  explanation: Explanation | undefined,
  context: MailContext,
): readonly AlertNotice[] => {
  const { budget, levels, through } = assessment;
  const { locale, operators } = context;
  const alerts = textsIn(locale);
  const raised = levels.filter((level) => records.some((record) => record.level === levelName(level)));
  const highest = raised.findLast(({ on }) => on === 'actual') ?? raised.at(-1);
  if (highest === undefined) return [];
  const also = raised
    .filter((level) => level !== highest)
    .map((level) => alsoText(level, assessment, locale));
  const lines = (toDo: string): AlertBlock['lines'] =>
    linesOf(
      {
        what: exceededText(highest, assessment, locale),
        also: also.length === 0 ? undefined : locale.list(also),
        cause: explanation?.cause,
        outlook: outlookText(assessment, locale),
        toDo,
        ...scopeAndPeriod(assessment, context),
        through: through === undefined ? undefined : locale.moment(through, budget.zone),
      },
      locale.mails,
    );
  return forReaders(assessment, context, ({ isOperator, ...readers }) =>
    noticeOf('alert', records, {
      byPeriod: true,
      title: alerts.title(budget.name, highest.on, shareText(highest, assessment, locale)),
      ...readers,
      blocks: [
        {
          tone: 'bad',
          lines: lines(
            isOperator
              ? alerts.operatorAdvice(shellWord(budget.name))
              : alerts.ownerAdvice(locale.list(operators)),
          ),
          meter: meterOf(assessment),
          tables: explanation?.tables ?? [],
        },
      ],
      closing: [alerts.noFurther, ...(isOperator ? [alerts.allBudgets] : [])],
    }),
  );
};

/** A figure that fell in its own period; the end of a period is no recovery. */
export const budgetRecovery = (
  records: RecordGroup,
  assessment: Assessment,
  context: MailContext,
): readonly AlertNotice[] => {
  const { budget, levels, spend } = assessment;
  const { locale } = context;
  const { recovered, share, allBudgets } = textsIn(locale);
  const fallen = levels.filter((level) => records.some((record) => record.level === levelName(level)));
  const now =
    spend === undefined ? undefined : share({ ...shareOf(spend, assessment, locale), atLeast: false });
  return forReaders(assessment, context, ({ isOperator, ...readers }) =>
    noticeOf('recovered', records, {
      byPeriod: true,
      title: recovered.title(budget.name, now),
      ...readers,
      blocks: [
        {
          tone: 'good',
          lines: linesOf(
            {
              what: recovered.what(
                locale.list(fallen.map((level) => levelText(level, locale))),
                fallen.some(({ on }) => on === 'actual') ? 'actual' : 'forecast',
              ),
              now: now === undefined ? undefined : recovered.now(now),
              outlook: outlookText(assessment, locale),
              ...scopeAndPeriod(assessment, context),
            },
            locale.mails,
          ),
          meter: meterOf(assessment),
        },
      ],
      closing: isOperator ? [allBudgets] : [],
    }),
  );
};
