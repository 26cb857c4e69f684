import { z } from 'zod';
import { formatMoment, unixSeconds, type Money } from '../../../../core/index.ts';
import { amount } from '../../../../config/index.ts';
import { formatMoney, localeOf } from '../../../../messages/index.ts';
import type { AlertShown } from '../../../../monitoring/index.ts';
import { decideHours, judgedUntil, type FoundInHours } from '../../judged.ts';
import { defineAlertRule, type RecordGroup } from '../../rule.ts';
import { readUnusual } from './read-unusual.ts';
import { unusualStatus, unusualStatusOf, type UnusualStatus } from './stored.ts';
import type { UnusualOf } from './texts.ts';
import { causeText, measuredText, unusualAlert, unusualRecovery } from './unusual-mails.ts';

const prefix = 'unusual:';

/** `unusual:account`, `unusual:model:gpt-5`, `unusual:service:billing` */
const alertOf = ({ of, name }: UnusualOf): string =>
  of === 'account' ? `${prefix}account` : `${prefix}${of}:${name}`;

const scopeOf = (alert: string, account: string): UnusualOf => {
  const [of = '', ...name] = alert.slice(prefix.length).split(':');
  return of === 'model' || of === 'service' ? { of, name: name.join(':') } : { of: 'account', name: account };
};

/** Commands and the page are in English. */
const english = localeOf('en');

const shownOf = (alert: string, status: UnusualStatus, zone: string | undefined): AlertShown => {
  const { spend, usual, currency, since } = status;
  const show = (figure: Money): string => formatMoney(figure, currency, english);
  const cause = causeText(status, english);
  return {
    alert,
    state: 'unusual',
    tone: 'bad',
    title: 'Unusual spend',
    scope: status.of === 'account' ? 'account' : `${status.of} ${status.name}`,
    zone,
    cells: [
      { title: 'Spend', text: show(spend) },
      { title: 'Usual', text: show(usual) },
      { title: 'Since', text: formatMoment(unixSeconds(since), zone ?? 'UTC'), spare: 1 },
    ],
    texts: {
      spend: show(spend),
      usual: show(usual),
      cause,
      note: english.sentences([cause, measuredText(english)]),
    },
  };
};

/** Spend of hours, and of the last 24 hours, of the account, models and services, against the same hours before. */
export const unusualRule = defineAlertRule({
  name: 'unusual',
  settings: {
    unusual_spend: z
      .strictObject({
        floor: amount
          .prefault('1')
          .describe('The minimum excess that sends a notification, in the currency of the account.'),
      })
      .optional()
      .describe(
        'Alerts when hours, or the last 24 hours, of the account, a model or a service cost far more than the same hours of the week before. {} uses the defaults.',
      ),
  },
  stored: unusualStatus,
  owns: (alert) => alert.startsWith(prefix),
  read: async (
    { unusual_spend: asked },
    before,
    context,
  ): Promise<readonly FoundInHours<UnusualStatus>[]> => {
    if (asked === undefined) return [{ statuses: new Map(), end: undefined }];
    const reading = await readUnusual(asked.floor, judgedUntil(before, prefix), context);
    if (reading === undefined) return [];
    const { found, end } = reading;
    const statuses = found.map((one) => {
      const status = unusualStatusOf(one, end);
      return [alertOf(status), { status }] as const;
    });
    return [{ statuses: new Map(statuses), end }];
  },
  decide: ([found], _settings, before, { firing }) => decideHours(prefix, found, before, firing),
  notices: async (event, records, [found], context) => {
    const [first, ...others] = records;
    if (first === undefined || found === undefined) return Promise.resolve([]);
    const group: RecordGroup = [first, ...others];
    if (event === 'alert') return Promise.resolve(unusualAlert(group, found.statuses, context));
    // A rule that is switched off ends its alerts without a mail.
    return Promise.resolve(
      found.end === undefined
        ? []
        : [unusualRecovery(group, (alert) => scopeOf(alert, context.account), context)],
    );
  },
  view: ({ stored }) =>
    [...stored].flatMap(([alert, status]) =>
      status.kind === 'judged' ? [] : [shownOf(alert, status, undefined)],
    ),
});
