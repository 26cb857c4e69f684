import { roundMoney, shellWord, toSeconds } from '../../../../core/index.ts';
import { formatDays, formatExact, linesOf, type Locale } from '../../../../messages/index.ts';
import { noticeOf, type AlertNotice, type RecordGroup, type MailContext } from '../../rule.ts';
import { textsIn } from './languages.ts';
import type { ReadRunway } from './read-runways.ts';
import type { Runway } from './runway.ts';
import type { Reserve } from './texts.ts';

type DayRange = { readonly [Bound in 'days' | 'low' | 'high']?: number | undefined };

/** `5.2 days (4.1 to 7.3)` */
export const dayRange = (
  { days = 0, low = 0, high = Number.POSITIVE_INFINITY }: DayRange,
  locale: Locale,
): string =>
  textsIn(locale).days(
    formatDays(days, locale),
    formatDays(low, locale),
    Number.isFinite(high) ? formatDays(high, locale) : undefined,
  );

const reserveOf = ({ alert, kind }: ReadRunway, account: string): Reserve => ({
  kind,
  name: kind === 'runway' ? account : alert.slice('key:'.length),
});

/** Only a known runway falls below a threshold. */
export const runwayAlert = (
  records: RecordGroup,
  read: ReadRunway,
  runway: Extract<Runway, { readonly state: 'known' }>,
  { account, operators, zone, locale }: MailContext,
): AlertNotice => {
  const { readAt, alert, kind } = read;
  const texts = textsIn(locale);
  const reserve = reserveOf(read, account);
  const perDay = roundMoney(runway.perDay, 2).replace('.', locale.decimalMark);
  const lines = linesOf(
    {
      what: texts.usedUp(reserve, dayRange(runway, locale)),
      left: texts.left(formatExact(runway.left, locale), perDay),
      usedUp: locale.moment(toSeconds(runway.emptyAt), zone),
      toDo: texts.advice[kind],
      account,
      read: readAt === undefined ? undefined : locale.moment(toSeconds(readAt), zone),
    },
    locale.mails,
  );
  return noticeOf('alert', records, {
    title: texts.title(reserve, formatDays(runway.days, locale)),
    to: operators,
    recipients: 'mail.operators',
    blocks: [{ tone: 'bad', lines }],
    closing: [texts.noFurther(kind, shellWord(alert))],
  });
};

export const runwayRecovery = (
  records: RecordGroup,
  read: ReadRunway,
  { account, operators, locale }: MailContext,
): AlertNotice => {
  const texts = textsIn(locale);
  const reserve = reserveOf(read, account);
  const days = read.runway.state === 'known' ? dayRange(read.runway, locale) : undefined;
  return noticeOf('recovered', records, {
    title: texts.recoveredTitle(reserve),
    to: operators,
    recipients: 'mail.operators',
    blocks: [
      {
        tone: 'good',
        lines: linesOf({ what: texts.lasts(reserve, days), account }, locale.mails),
      },
    ],
    closing: [texts.currentState],
  });
};
