import { z } from 'zod';
import { formatMoment, unixSeconds, type Money } from '../../../../core/index.ts';
import { amount } from '../../../../config/index.ts';
import { formatMoney, localeOf } from '../../../../messages/index.ts';
import type { AlertShown } from '../../../../monitoring/index.ts';
import { firingOf } from '../../firing.ts';
import { judged, judgedUntil, type JudgedStatus } from '../../judged.ts';
import { defineAlertRule, type RecordGroup } from '../../rule.ts';
import { readUnusual, type UnusualReading } from './read-unusual.ts';
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

/** An alert that fired without an end: what is not unusual any more ends it. */
type Open = { readonly reading: UnusualReading | undefined; readonly firing: readonly string[] };

/** Spend of hours, and of the last 24 hours, of the account, models and services, against the same hours before. */
export const unusualRule = defineAlertRule({
  name: 'unusual',
  settings: {
    unusual_spend: z
      .strictObject({
        floor: amount
          .prefault('1')
          .describe('The least excess that is notified of, in the currency of the account.'),
      })
      .optional()
      .describe(
        'Alerts when hours, or the last 24 hours, of the account, a model or a service cost far more than the same hours of the week before. {} uses the defaults.',
      ),
  },
  stored: unusualStatus,
  owns: (alert) => alert.startsWith(prefix),
  read: async (settings, before, context): Promise<readonly Open[]> => {
    const firing = await firingOf(prefix, context.job);
    const { unusual_spend: asked } = settings;
    if (asked === undefined)
      return firing.length === 0 ? [] : [{ reading: { found: [], end: unixSeconds(0) }, firing }];
    return [{ reading: await readUnusual(asked.floor, judgedUntil(before, prefix), context), firing }];
  },
  decide: ([open], _settings, before) => {
    if (open?.reading === undefined) return { conditions: [], stored: new Map() };
    const { found, end } = open.reading;
    const statuses = new Map(
      found.map((one) => {
        const status = unusualStatusOf(one, end);
        return [alertOf(status), { status }] as const;
      }),
    );
    const gone = [...new Set([...before.keys(), ...open.firing])].filter(
      (alert) => alert !== prefix && !statuses.has(alert),
    );
    return {
      conditions: [
        ...[...statuses.keys()].map((alert) => ({ alert, level: 'unusual', state: 'firing' }) as const),
        ...gone.map((alert) => ({ alert, level: 'unusual', state: 'clear' }) as const),
      ],
      stored: new Map<string, { readonly status: UnusualStatus | JudgedStatus } | undefined>([
        ...statuses,
        ...gone.map((alert) => [alert, undefined] as const),
        // A rule that is switched off has judged nothing.
        [prefix, end === 0 ? undefined : judged(end)] as const,
      ]),
    };
  },
  notices: async (event, records, [open], context) => {
    const [first, ...others] = records;
    const reading = open?.reading;
    if (first === undefined || reading === undefined) return Promise.resolve([]);
    const group: RecordGroup = [first, ...others];
    const statuses = new Map(
      reading.found.map((one) => {
        const status = unusualStatusOf(one, reading.end);
        return [alertOf(status), status] as const;
      }),
    );
    if (event === 'alert') return Promise.resolve(unusualAlert(group, statuses, context));
    // A rule that is switched off ends its alerts without a mail.
    return Promise.resolve(
      reading.end === 0 ? [] : [unusualRecovery(group, (alert) => scopeOf(alert, context.account), context)],
    );
  },
  view: ({ stored }) =>
    [...stored].flatMap(([alert, status]) =>
      status.kind === 'judged' ? [] : [shownOf(alert, status, undefined)],
    ),
});
