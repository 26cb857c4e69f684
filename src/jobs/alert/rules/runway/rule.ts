import { z } from 'zod';
import { localeOf } from '../../../../messages/index.ts';
import type { AlertShown } from '../../../../monitoring/index.ts';
import { defineAlertRule, groupsOf } from '../../rule.ts';
import { readRunways, type ReadRunway } from './read-runways.ts';
import { runwayConditions } from './runway.ts';
import { dayRange, runwayAlert, runwayRecovery } from './runway-mails.ts';
import { runwayStatus, runwayStatusOf, type RunwayStatus } from './stored.ts';

const days = (usual: readonly number[]) =>
  z
    .array(z.int().min(1).max(3650))
    .max(10)
    .prefault([...usual]);

/** Commands and the page are in English. */
const english = localeOf('en');

/** Why it is unknown how long a balance or quota lasts, and the next step. */
const reasons = {
  'few-readings': {
    reason: 'snapshots at least a day apart are missing',
    hint: 'Check that a job of kind snapshot runs each day: `tollkeeper status` shows its last run.',
  },
  'old-reading': {
    reason: 'the last snapshot is older than two days',
    hint: 'Check why snapshots are late: `tollkeeper status` shows the last run of the job of kind snapshot.',
  },
} as const;

const lastsText = (status: RunwayStatus): string =>
  ({
    known: dayRange(status, english),
    unused: 'unlimited at the current pace: nothing was used',
    unknown: 'unknown',
  })[status.state];

const shownOf = (alert: string, status: RunwayStatus, isFiring: boolean): AlertShown => {
  const lasts = lastsText(status);
  return {
    alert,
    ...(status.state === 'unknown'
      ? { state: 'unknown', tone: 'warn' }
      : isFiring
        ? { state: 'low', tone: 'bad' }
        : { state: 'ok', tone: 'good' }),
    title: 'Balance or quota',
    cells: [{ title: 'Lasts', text: lasts }],
    texts: { lasts, ...(status.reason === undefined ? {} : reasons[status.reason]) },
  };
};

/** The balance of the account and the quotas of its keys: for how many days they last. */
export const runwayRule = defineAlertRule({
  name: 'runway',
  settings: {
    runway_days: days([14, 7, 3]).describe(
      'Alerts when the balance of the account lasts for at most so many days at the current pace. [] disables it. Needs a job of kind snapshot.',
    ),
    key_days: days([7, 2]).describe(
      'Alerts when the quota of an API key lasts for at most so many days at the current pace. [] disables it. Needs a job of kind snapshot.',
    ),
  },
  stored: runwayStatus,
  owns: (alert) => alert === 'runway' || alert.startsWith('key:'),
  read: async (_settings, _before, { now, job }) => readRunways(now, job),
  decide: (found: readonly ReadRunway[], settings, before) => ({
    conditions: found.flatMap(({ alert, kind, runway }) =>
      runwayConditions(alert, runway, kind === 'runway' ? settings.runway_days : settings.key_days),
    ),
    // A key that is gone, or has no quota any more, has no status.
    stored: new Map([
      ...[...before.keys()].map((alert) => [alert, undefined] as const),
      ...found.map(
        ({ alert, kind, runway, readAt }) =>
          [alert, { status: runwayStatusOf(kind, runway, readAt) }] as const,
      ),
    ]),
  }),
  notices: async (event, records, found, context) =>
    Promise.resolve(
      groupsOf(records).flatMap((group) => {
        const read = found.find(({ alert }) => alert === group[0].alert);
        if (read === undefined) return [];
        if (event === 'recovered') return [runwayRecovery(group, read, context)];
        // Only a known runway falls below a threshold.
        return read.runway.state === 'known' ? [runwayAlert(group, read, read.runway, context)] : [];
      }),
    ),
  view: ({ stored, firing }) =>
    [...stored].map(([alert, status]) =>
      shownOf(
        alert,
        status,
        firing.some((one) => one.alert === alert),
      ),
    ),
});
