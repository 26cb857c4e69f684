import { toSeconds, unixSeconds } from '../../core/index.ts';
import { linesOf, reasonText } from '../../messages/index.ts';
import type { AlertRecord, Assessment } from '../../monitoring/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import { notification, shareOf, type AlertNotification, type MessageContext } from './notification.ts';

/** Keeps the mail readable. */
const mostNamed = 20;

const blockOf = (assessment: Assessment, { account, locale }: MessageContext): AlertBlock => {
  const { budget, reason, spend, through } = assessment;
  const { scope, unknown } = locale.alerts;
  const at = (seconds: number): string => locale.moment(unixSeconds(seconds), budget.zone);
  const why =
    reason === undefined
      ? undefined
      : reasonText(reason, { scope: scope(budget.scope), account, at }, locale.alerts);
  return {
    heading: budget.name,
    tone: 'bad',
    lines: linesOf(
      {
        reason: why === undefined ? undefined : unknown.sentence(why.what),
        known:
          spend === undefined || through === undefined || reason?.kind === 'no-calls'
            ? undefined
            : unknown.known({ ...shareOf(spend, assessment, locale), through: at(through) }),
        toDo: why?.toDo,
      },
      locale.mails,
    ),
  };
};

export const unknownAlert = (
  records: readonly AlertRecord[],
  assessments: readonly Assessment[],
  context: MessageContext,
): AlertNotification => {
  const { operators, locale } = context;
  const { unknown } = locale.alerts;
  const more = assessments.length - mostNamed;
  return notification('alert', records, {
    title: unknown.title(assessments.length),
    to: [...operators, ...assessments.flatMap(({ budget }) => budget.owner)],
    recipients: 'mail.operators',
    blocks: assessments.slice(0, mostNamed).map((one) => blockOf(one, context)),
    closing: [...(more > 0 ? [locale.mails.more(more)] : []), unknown.closing],
  });
};

export const unknownRecovery = (
  records: readonly AlertRecord[],
  { account, operators, now, zone, locale }: MessageContext,
): AlertNotification => {
  const { unknown, allBudgets } = locale.alerts;
  const lines = linesOf(
    { what: unknown.recovered(account), when: locale.moment(toSeconds(now), zone) },
    locale.mails,
  );
  return notification('recovered', records, {
    title: unknown.recoveredTitle,
    to: operators,
    recipients: 'mail.operators',
    blocks: [{ tone: 'good', lines }],
    closing: [allBudgets],
  });
};
