import {
  countText,
  formatMoment,
  toSeconds,
  unixMillis,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import { defineJobKind } from '../job-kind.ts';
import { alertJobFaults, alertShape } from './alert-shape.ts';
import { issueForecasts } from '../forecasts/issue-forecasts.ts';
import { recordForecasts, updateForecasts } from '../forecasts/keep-forecasts.ts';
import { decide } from './decide.ts';
import { budgetsOf, isOnData } from './rules/budget/rule.ts';
import { alertRules } from './rules/registry.ts';

const neededFor = (slot: UnixMillis, lag: number): UnixSeconds => toSeconds(unixMillis(slot - lag));

/** Evaluates budgets, the balance and the quotas of keys, and notifies of each threshold once per period. */
export const alertKind = defineJobKind({
  kind: 'alert',
  onlyForbid: true,
  runsAfterNeeds: true,
  sendsAlerts: true,
  reservesName: (name) =>
    isOnData(name) || alertRules.some((rule) => rule.name !== 'budget' && rule.owns(name)),
  description:
    'Evaluates the budgets, the balance and the key quotas of an account, and notifies of thresholds that are reached.',
  shape: alertShape,
  faults: alertJobFaults,
  run: async (settings, context) => {
    // An alert for a period that has ended requires no action.
    if (context.trigger === 'backfill')
      return { summary: 'nothing to do: alerts about the past are not sent', figures: {} };
    const budgets = context.costOwners?.budgets ?? [];
    await updateForecasts(budgets, context);
    const { states, raised, recovered, ended, notified } = await decide(
      settings,
      neededFor(context.slot, settings.lag),
      context,
    );
    await issueForecasts(context);
    // Nothing waits for it: alerts are decided and their mails are in the outbox.
    await recordForecasts(budgets, context);
    const count = (state: string): number => states.filter((one) => one === state).length;
    const unknown = count('unknown');
    return {
      summary: `${countText(states.length, 'budget')} evaluated: ${count('exceeded')} exceeded${unknown === 0 ? '' : `, ${unknown} unknown`}; ${countText(raised, 'threshold')} newly reached, ${recovered} recovered${ended === 0 ? '' : `, ${ended} ended`}; ${countText(notified, 'notification')} enqueued`,
      figures: {
        budgets: states.length,
        exceeded: count('exceeded'),
        unknown,
        raised,
        recovered,
        ended,
        recipients: notified,
      },
    };
  },
  plan: async (settings, context) => {
    const budgets = budgetsOf(settings, context);
    const needed = neededFor(context.slot, settings.lag);
    return Promise.resolve([
      `evaluate ${countText(budgets.length, 'budget')} on data through ${formatMoment(needed, context.zone)}`,
      ...budgets.map(({ name, period, zone }) => `evaluate ${name}, per ${period} (${zone})`),
    ]);
  },
  needsThrough: ({ lag }, slot) => unixMillis(slot - lag),
});
