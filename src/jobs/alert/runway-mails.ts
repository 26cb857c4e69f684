import { roundMoney, shellWord, toSeconds } from '../../core/index.ts';
import { formatDayRange, formatDays, formatExact, linesOf, type Reserve } from '../../messages/index.ts';
import type { AlertRecord, Runway } from '../../monitoring/index.ts';
import { notification, type AlertNotification, type MessageContext } from './notification.ts';
import type { ReadRunway } from './read-runways.ts';

const reserveOf = ({ alert, kind }: ReadRunway, account: string): Reserve => ({
  kind,
  name: kind === 'runway' ? account : alert.slice('key:'.length),
});

/** Only a known runway falls below a threshold. */
export const runwayAlert = (
  records: readonly AlertRecord[],
  read: ReadRunway,
  runway: Extract<Runway, { readonly state: 'known' }>,
  { account, operators, zone, locale }: MessageContext,
): AlertNotification => {
  const { readAt, alert, kind } = read;
  const texts = locale.alerts.runway;
  const reserve = reserveOf(read, account);
  const perDay = roundMoney(runway.perDay, 2).replace('.', locale.decimalMark);
  const lines = linesOf(
    {
      what: texts.usedUp(reserve, formatDayRange(runway, locale)),
      left: texts.left(formatExact(runway.left, locale), perDay),
      usedUp: locale.moment(toSeconds(runway.emptyAt), zone),
      toDo: texts.advice[kind],
      account,
      read: readAt === undefined ? undefined : locale.moment(toSeconds(readAt), zone),
    },
    locale.mails,
  );
  return notification('alert', records, {
    title: texts.title(reserve, formatDays(runway.days, locale)),
    to: operators,
    recipients: 'mail.operators',
    blocks: [{ tone: 'bad', lines }],
    closing: [texts.noFurther(kind, shellWord(alert))],
  });
};

export const runwayRecovery = (
  records: readonly AlertRecord[],
  read: ReadRunway,
  { account, operators, locale }: MessageContext,
): AlertNotification => {
  const texts = locale.alerts.runway;
  const reserve = reserveOf(read, account);
  const days = read.runway.state === 'known' ? formatDayRange(read.runway, locale) : undefined;
  return notification('recovered', records, {
    title: texts.recoveredTitle(reserve),
    to: operators,
    recipients: 'mail.operators',
    blocks: [{ tone: 'good', lines: linesOf({ what: texts.lasts(reserve, days), account }, locale.mails) }],
    closing: [texts.currentState],
  });
};
