import {
  absoluteMoney,
  compareMoney,
  divideMoney,
  money,
  pricedTokens,
  shellWord,
  subtractMoney,
  unixSeconds,
  zero,
  type PricedClass,
} from '../../../../core/index.ts';
import {
  formatInteger,
  formatMoney,
  formatPercent,
  linesOf,
  type Locale,
} from '../../../../messages/index.ts';
import type { AlertBlock } from '../../../../reports/index.ts';
import { noticeOf, type AlertNotice, type MailContext, type RecordGroup } from '../../rule.ts';
import { textsIn } from './languages.ts';
import type { PriceStatus, StoredFinding } from './stored.ts';

/** What `npm run bench -- prices` measured: alerts without a change in so many months of simulated models. */
const measured = { months: 720, alarms: 0 } as const;

/** How often such an alert was wrong. */
export const measuredText = (locale: Locale): string =>
  textsIn(locale).measured(
    formatInteger(money(String(measured.months)), locale),
    formatInteger(money(String(measured.alarms)), locale),
  );

/** As `prices` of the configuration calls it. */
const nameOf = (of: PricedClass): string => pricedTokens.find((one) => one.class === of)?.price ?? of;

/** The prices of a finding, before and after. */
export const pricesText = ({ classes }: StoredFinding, currency: string, locale: Locale): string =>
  locale.list(
    classes.map(({ class: of, before, after }) => {
      const change = divideMoney(subtractMoney(after, before), before, 6);
      return textsIn(locale).price({
        name: nameOf(of),
        before: formatMoney(before, currency, locale),
        after: formatMoney(after, currency, locale),
        change:
          change === undefined || compareMoney(after, zero) === 0
            ? undefined
            : `${compareMoney(change, zero) > 0 ? '+' : '-'}${formatPercent(absoluteMoney(change), locale)}`,
      });
    }),
  );

const blockOf = (
  model: string,
  finding: StoredFinding,
  { currency }: PriceStatus,
  { account, zone, locale }: MailContext,
  isOnly: boolean,
): AlertBlock => {
  const texts = textsIn(locale);
  const { reason, key, first, month } = finding;
  return {
    ...(isOnly ? {} : { heading: texts.title[reason](model) }),
    tone: 'bad',
    lines: linesOf(
      {
        what: texts.what[reason](model, key, pricesText(finding, currency, locale)),
        outlook:
          month === undefined
            ? undefined
            : texts.month(
                formatMoney(absoluteMoney(month), currency, locale),
                compareMoney(month, zero) >= 0,
              ),
        toDo: texts.advice[reason],
        account,
        when: first === undefined ? undefined : locale.moment(unixSeconds(first), zone),
      },
      locale.mails,
    ),
  };
};

/** One mail about all that is found of a model at once. */
export const priceAlert = (
  records: RecordGroup,
  model: string,
  status: PriceStatus,
  context: MailContext,
): readonly AlertNotice[] => {
  const { operators, locale } = context;
  const texts = textsIn(locale);
  const found = status.findings.filter(({ reason }) => records.some(({ level }) => level === reason));
  const [first] = found;
  if (first === undefined) return [];
  return [
    noticeOf('alert', records, {
      title: texts.title[first.reason](model),
      to: operators,
      recipients: 'mail.operators',
      blocks: found.map((finding) => blockOf(model, finding, status, context, found.length === 1)),
      closing: [measuredText(locale), texts.noFurther(shellWord(records[0].alert))],
    }),
  ];
};

export const priceRecovery = (
  records: RecordGroup,
  model: string,
  { account, locale, operators }: MailContext,
): AlertNotice => {
  const texts = textsIn(locale);
  return noticeOf('recovered', records, {
    title: texts.recoveredTitle(model),
    to: operators,
    recipients: 'mail.operators',
    blocks: [{ tone: 'good', lines: linesOf({ what: texts.recovered(model), account }, locale.mails) }],
    closing: [texts.currentState],
  });
};
