import { z } from 'zod';
import { amount } from '../../../../config/index.ts';
import { formatMoney, localeOf } from '../../../../messages/index.ts';
import type { AlertShown } from '../../../../monitoring/index.ts';
import { decideHours, judgedUntil, type FoundInHours } from '../../judged.ts';
import { defineAlertRule, groupsOf } from '../../rule.ts';
import { behaviourAlert, behaviourRecovery, measuredText, reasonsText } from './behaviour-mails.ts';
import { readBehaviour } from './read-behaviour.ts';
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
  read: async (
    { key_behaviour: asked },
    before,
    context,
  ): Promise<readonly FoundInHours<BehaviourStatus>[]> => {
    if (asked === undefined) return [{ statuses: new Map(), end: undefined }];
    const open = new Set(context.firing.filter((alert) => alert.startsWith(prefix)).map(keyOf));
    const reading = await readBehaviour(asked.floor, open, judgedUntil(before, prefix), context);
    if (reading === undefined) return [];
    const statuses = reading.keys.map(
      (one) => [prefix + one.key, { status: behaviourStatusOf(one) }] as const,
    );
    return [{ statuses: new Map(statuses), end: reading.end }];
  },
  decide: ([found], _settings, before, { firing }) => decideHours(prefix, found, before, firing),
  notices: async (event, records, [found], context) =>
    Promise.resolve(
      groupsOf(records).flatMap((group) => {
        const [{ alert }] = group;
        // A rule that is switched off ends its alerts without a mail.
        if (event === 'recovered')
          return found?.end === undefined ? [] : [behaviourRecovery(group, keyOf(alert), context)];
        const status = found?.statuses.get(alert)?.status;
        return status === undefined ? [] : [behaviourAlert(group, status, context)];
      }),
    ),
  view: ({ stored }) =>
    [...stored].flatMap(([alert, status]) => (status.kind === 'judged' ? [] : [shownOf(alert, status)])),
});
