import { toSeconds, unixSeconds } from '../../../../core/index.ts';
import { linesOf } from '../../../../messages/index.ts';
import type { Assessment } from '../../../../monitoring/index.ts';
import type { AlertBlock } from '../../../../reports/index.ts';
import { noticeOf, type AlertNotice, type RecordGroup, type MailContext } from '../../rule.ts';
import { shareOf } from './budget-mails.ts';
import { textsIn } from './languages.ts';
import { reasonText } from './texts.ts';

/** Keeps the mail readable. */
const mostNamed = 20;

const blockOf = (assessment: Assessment, { account, locale }: MailContext): AlertBlock => {
  const { budget, reason, spend, through } = assessment;
  const texts = textsIn(locale);
  const { scope, unknown } = texts;
  const at = (seconds: number): string => locale.moment(unixSeconds(seconds), budget.zone);
  const why =
    reason === undefined ? undefined : reasonText(reason, { scope: scope(budget.scope), account, at }, texts);
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
  records: RecordGroup,
  assessments: readonly Assessment[],
  context: MailContext,
): AlertNotice => {
  const { operators, locale } = context;
  const { unknown } = textsIn(locale);
  const more = assessments.length - mostNamed;
  return noticeOf('alert', records, {
    title: unknown.title(assessments.length),
    to: [...operators, ...assessments.flatMap(({ budget }) => budget.owner)],
    recipients: 'mail.operators',
    blocks: assessments.slice(0, mostNamed).map((one) => blockOf(one, context)),
    closing: [...(more > 0 ? [locale.mails.more(more)] : []), unknown.closing],
  });
};

export const unknownRecovery = (
  records: RecordGroup,
  { account, operators, now, zone, locale }: MailContext,
): AlertNotice => {
  const { unknown, allBudgets } = textsIn(locale);
  const lines = linesOf(
    { what: unknown.recovered(account), when: locale.moment(toSeconds(now), zone) },
    locale.mails,
  );
  return noticeOf('recovered', records, {
    title: unknown.recoveredTitle,
    to: operators,
    recipients: 'mail.operators',
    blocks: [{ tone: 'good', lines }],
    closing: [allBudgets],
  });
};
