import {
  divideMoney,
  money,
  moneyOfDouble,
  shellWord,
  subtractMoney,
  unixSeconds,
  type Money,
} from '../../../../core/index.ts';
import { formatInteger, formatMoney, linesOf, type Locale } from '../../../../messages/index.ts';
import { showName, type AlertBlock } from '../../../../reports/index.ts';
import { noticeOf, type AlertNotice, type MailContext, type RecordGroup } from '../../rule.ts';
import { textsIn } from './languages.ts';
import type { UnusualStatus } from './stored.ts';
import type { UnusualOf } from './texts.ts';

/** What `npm run bench -- unusual` measured: mails about nothing in so many weeks of simulated accounts. */
const measured = { weeks: 480, alarms: 43 } as const;

/** How often such an alert was wrong. */
export const measuredText = (locale: Locale): string =>
  textsIn(locale).measured(
    formatInteger(money(String(measured.weeks)), locale),
    formatInteger(money(String(measured.alarms)), locale),
  );

/** Names of models and services are those of others. */
const longestName = 40;

const moreOf = ({ spend, usual }: UnusualStatus): Money => subtractMoney(spend, usual);

/** What a call cost; undefined without calls. */
const priceOf = (
  spend: Money,
  calls: number,
  { currency }: UnusualStatus,
  locale: Locale,
): string | undefined => {
  const count = moneyOfDouble(calls, 6);
  const price = count === undefined ? undefined : divideMoney(spend, count, 12);
  return price === undefined ? undefined : formatMoney(price, currency, locale);
};

const count = (calls: number, locale: Locale): string =>
  formatInteger(money(String(Math.round(calls))), locale);

/** Calls, what one cost, and what cost more than a week before. */
export const causeText = (status: UnusualStatus, locale: Locale): string => {
  const texts = textsIn(locale);
  const { spend, usual, calls, usualCalls, contributions, currency } = status;
  const parts = contributions.map(({ model, service, more }) =>
    texts.part(
      showName(model, longestName),
      showName(service, longestName),
      `+${formatMoney(more, currency, locale)}`,
    ),
  );
  const cause = texts.cause({
    calls: count(calls, locale),
    usualCalls: count(usualCalls, locale),
    price: priceOf(spend, calls, status, locale),
    usualPrice: priceOf(usual, usualCalls, status, locale),
  });
  return parts.length === 0 ? cause : locale.sentences([cause, texts.contributions(locale.list(parts))]);
};

const blockOf = (
  alert: string,
  status: UnusualStatus,
  { account, zone, locale }: MailContext,
  isOnly: boolean,
): AlertBlock => {
  const texts = textsIn(locale);
  const show = (amount: Money): string => formatMoney(amount, status.currency, locale);
  return {
    ...(isOnly ? {} : { heading: texts.heading(status) }),
    tone: 'bad',
    lines: linesOf(
      {
        what: texts.what({
          of: status,
          window: status.window,
          spend: show(status.spend),
          usual: show(status.usual),
          more: show(moreOf(status)),
        }),
        cause: causeText(status, locale),
        ...(isOnly ? { toDo: texts.advice(shellWord(alert)) } : {}),
        account,
        when: locale.moment(unixSeconds(status.since), zone),
        through: locale.moment(unixSeconds(status.end), zone),
      },
      locale.mails,
    ),
  };
};

/** One mail about all that begins together: the account, and the models and services that it comes from. */
export const unusualAlert = (
  records: RecordGroup,
  statuses: ReadonlyMap<string, { readonly status: UnusualStatus }>,
  context: MailContext,
): readonly AlertNotice[] => {
  const { locale, operators } = context;
  const texts = textsIn(locale);
  const found = records.flatMap(({ alert }) => {
    const status = statuses.get(alert)?.status;
    return status === undefined ? [] : [{ alert, status }];
  });
  const [first, ...others] = found;
  if (first === undefined) return [];
  const more = formatMoney(moreOf(first.status), first.status.currency, locale);
  return [
    noticeOf('alert', records, {
      title:
        others.length === 0
          ? texts.title(first.status, more)
          : texts.titleOfSeveral(first.status, more, others.length),
      to: operators,
      recipients: 'mail.operators',
      blocks: found.map(({ alert, status }) => blockOf(alert, status, context, others.length === 0)),
      closing: [
        ...(others.length === 0 ? [] : [texts.advice(shellWord(first.alert))]),
        measuredText(locale),
        texts.noFurther,
      ],
    }),
  ];
};

export const unusualRecovery = (
  records: RecordGroup,
  scopeOf: (alert: string) => UnusualOf,
  { account, locale, operators }: MailContext,
): AlertNotice => {
  const texts = textsIn(locale);
  const scopes = records.map(({ alert }) => scopeOf(alert));
  return noticeOf('recovered', records, {
    title: texts.recoveredTitle(scopes[0] ?? { of: 'account', name: account }),
    to: operators,
    recipients: 'mail.operators',
    blocks: scopes.map((of) => ({
      ...(scopes.length === 1 ? {} : { heading: texts.heading(of) }),
      tone: 'good',
      lines: linesOf({ what: texts.recovered(of), account }, locale.mails),
    })),
    closing: [texts.currentState],
  });
};
