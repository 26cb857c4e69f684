import { z } from 'zod';
import { amount } from '../../../../config/index.ts';
import { formatMoney, localeOf } from '../../../../messages/index.ts';
import type { AlertShown } from '../../../../monitoring/index.ts';
import { firingOf } from '../../firing.ts';
import { judged, judgedUntil, type JudgedStatus } from '../../judged.ts';
import { defineAlertRule, groupsOf } from '../../rule.ts';
import { behaviourAlert, behaviourRecovery, measuredText, reasonsText } from './behaviour-mails.ts';
import { readBehaviour, type BehaviourReading } from './read-behaviour.ts';
import { behaviourStatus, behaviourStatusOf, type BehaviourStatus } from './stored.ts';

const prefix = 'key-behaviour:';

const keyOf = (alert: string): string => alert.slice(prefix.length);

/** Commands and the page are in English. */
const english = localeOf('en');

const shownOf = (alert: string, status: BehaviourStatus): AlertShown => {
  const spend = formatMoney(status.spend, status.currency, english);
  const usual = formatMoney(status.usual, status.currency, english);
  const cause = reasonsText(status, english);
  return {
    alert,
    state: 'unusual',
    tone: 'bad',
    title: 'Use of a key',
    scope: `key ${status.key}`,
    cells: [
      { title: '24 hours', text: spend },
      { title: 'Usual', text: usual },
    ],
    texts: {
      spend,
      usual,
      cause,
      note: english.sentences([cause, measuredText(english)]),
    },
  };
};

type Judged = {
  /** Undefined where nothing is judged, or the rule is off. */
  readonly found: BehaviourReading | undefined;
  readonly isOff: boolean;
  readonly firing: readonly string[];
};

/** Keys that cost ten times their median, with models or at hours that are new to them. */
export const keyBehaviourRule = defineAlertRule({
  name: 'key-behaviour',
  settings: {
    key_behaviour: z
      .strictObject({
        floor: amount
          .prefault('10')
          .describe('The least spend of a key in 24 hours that is judged, in the currency of the account.'),
      })
      .optional()
      .describe(
        'Alerts when a key costs ten times its median of 24 hours, with models or at hours that it never used before. {} uses the defaults.',
      ),
  },
  stored: behaviourStatus,
  owns: (alert) => alert.startsWith(prefix),
  read: async ({ key_behaviour: asked }, before, context): Promise<readonly Judged[]> => {
    const firing = await firingOf(prefix, context.job);
    if (asked === undefined) return [{ found: undefined, isOff: true, firing }];
    const open = new Set(firing.map(keyOf));
    const found = await readBehaviour(asked.floor, open, judgedUntil(before, prefix), context);
    return [{ found, isOff: false, firing }];
  },
  decide: ([read], _settings, before) => {
    if (read === undefined || (read.found === undefined && !read.isOff))
      return { conditions: [], stored: new Map() };
    const statuses = new Map(
      (read.found?.keys ?? []).map((one) => [prefix + one.key, { status: behaviourStatusOf(one) }] as const),
    );
    const gone = [...new Set([...before.keys(), ...read.firing])].filter(
      (alert) => alert !== prefix && !statuses.has(alert),
    );
    const level = 'unusual';
    return {
      conditions: [
        ...[...statuses.keys()].map((alert) => ({ alert, level, state: 'firing' }) as const),
        ...gone.map((alert) => ({ alert, level, state: 'clear' }) as const),
      ],
      stored: new Map<string, { readonly status: BehaviourStatus | JudgedStatus } | undefined>([
        ...statuses,
        ...gone.map((alert) => [alert, undefined] as const),
        // A rule that is switched off has judged nothing.
        [prefix, read.found === undefined ? undefined : judged(read.found.end)] as const,
      ]),
    };
  },
  notices: async (event, records, [read], context) =>
    Promise.resolve(
      groupsOf(records).flatMap((group) => {
        const key = keyOf(group[0].alert);
        // A rule that is switched off ends its alerts without a mail.
        if (event === 'recovered')
          return read?.isOff === true ? [] : [behaviourRecovery(group, key, context)];
        const found = read?.found?.keys.find((one) => one.key === key);
        return found === undefined ? [] : [behaviourAlert(group, behaviourStatusOf(found), context)];
      }),
    ),
  view: ({ stored }) =>
    [...stored].flatMap(([alert, status]) => (status.kind === 'judged' ? [] : [shownOf(alert, status)])),
});
