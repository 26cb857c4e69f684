import { money, runsOf, shellWord, unixSeconds } from '../../../../core/index.ts';
import { formatInteger, formatMoney, linesOf, type Locale } from '../../../../messages/index.ts';
import { noticeOf, type AlertNotice, type MailContext, type RecordGroup } from '../../rule.ts';
import { textsIn } from './languages.ts';
import type { BehaviourStatus } from './stored.ts';

/** What `npm run bench -- unusual` measured: alerts without a leak in so many months of simulated keys. */
const measured = { months: 6000, alarms: 22 } as const;

/** How often such an alert was wrong. */
export const measuredText = (locale: Locale): string =>
  textsIn(locale).measured(
    formatInteger(money(String(measured.months)), locale),
    formatInteger(money(String(measured.alarms)), locale),
  );

const clock = (hour: number): string => `${String(hour % 24).padStart(2, '0')}:00`;

/** Hours that follow each other as ranges: `02:00 to 05:00`. */
const hoursText = (hours: readonly number[], locale: Locale): string =>
  locale.list(
    runsOf(hours, (last, next) => next === last + 1).map((run) =>
      textsIn(locale).hours(clock(run[0] ?? 0), clock((run.at(-1) ?? 0) + 1)),
    ),
  );

/** The models and hours that are new to the key. */
export const reasonsText = ({ newModels, newHours }: BehaviourStatus, locale: Locale): string => {
  const texts = textsIn(locale);
  return locale.sentences([
    ...(newModels.length === 0 ? [] : [texts.newModels(locale.list(newModels))]),
    ...(newHours.length === 0 ? [] : [texts.newHours(hoursText(newHours, locale))]),
  ]);
};

export const behaviourAlert = (
  records: RecordGroup,
  status: BehaviourStatus,
  { account, operators, locale, zone }: MailContext,
): AlertNotice => {
  const texts = textsIn(locale);
  const { key, service, currency, since } = status;
  const spend = formatMoney(status.spend, currency, locale);
  return noticeOf('alert', records, {
    title: texts.title(key, spend),
    to: operators,
    recipients: 'mail.operators',
    blocks: [
      {
        tone: 'bad',
        lines: linesOf(
          {
            what: texts.what({ key, spend, usual: formatMoney(status.usual, currency, locale) }),
            reason: reasonsText(status, locale),
            toDo: texts.advice(
              service === undefined ? { key: shellWord(key) } : { service: shellWord(service) },
            ),
            account,
            when: locale.moment(unixSeconds(since), zone),
          },
          locale.mails,
        ),
      },
    ],
    closing: [measuredText(locale), texts.noFurther(shellWord(records[0].alert))],
  });
};

export const behaviourRecovery = (
  records: RecordGroup,
  key: string,
  { account, locale, operators }: MailContext,
): AlertNotice => {
  const texts = textsIn(locale);
  return noticeOf('recovered', records, {
    title: texts.recoveredTitle(key),
    to: operators,
    recipients: 'mail.operators',
    blocks: [{ tone: 'good', lines: linesOf({ what: texts.recovered(key), account }, locale.mails) }],
    closing: [texts.currentState],
  });
};
