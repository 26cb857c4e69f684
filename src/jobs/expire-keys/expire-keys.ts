import { countText, formatSlot } from '../../core/index.ts';
import {
  needsAttention,
  type EndedKey,
  type ExpiryPlan,
  type KeyService,
  type PlannedExpiry,
} from '../../keys/index.ts';
import { countsText, endText, localeOf, skippedText, type PlanCounts } from '../../messages/index.ts';
import { expireShape, type ExpireSettings } from './expire-shape.ts';
import { planExpiries, type PlannedExpiries } from './plan-expiries.ts';
import { defineJobKind, type JobContext, type JobOutcome } from '../job-kind.ts';
import { expireFaults } from './expire-rules.ts';
import { keyServiceOf, failureOf, whoOf } from '../keys/key-runs.ts';
import { keyPlan, planLines, type KeyPlan } from '../keys/key-plan.ts';
import { noCostOwners } from '../cost-owners.ts';
import { mailPlan } from '../keys/plan-mail.ts';

const planOf = async (
  keyService: KeyService,
  settings: ExpireSettings,
  context: JobContext,
): Promise<PlannedExpiries> => {
  const { name, zone, account, warehouse, progress, signal, costOwners = noCostOwners } = context;
  progress({ step: 'reading the keys' });
  const deps = { account: account.name, warehouse, teams: costOwners.teams, keyService, progress, signal };
  return planExpiries(await keyService.survey(signal), { name, zone, settings }, deps);
};

const countsBy = (planned: readonly PlannedExpiry[]): Omit<PlanCounts, 'skipped'> =>
  Object.fromEntries(
    (['warn', 'expire', 'delete'] as const).flatMap((kind) => {
      const { length } = planned.filter(({ action }) => action.kind === kind);
      return length === 0 ? [] : [[kind, length]];
    }),
  );

const plannedOf = ({ expiries }: ExpiryPlan): readonly PlannedExpiry[] =>
  expiries.map(({ planned }) => planned);

const summaryOf = ({ plan }: PlannedExpiries): KeyPlan =>
  keyPlan(
    countsBy(plannedOf(plan)),
    plan.expiries.map(({ planned: { name, service, action }, clock, passed, age }) => ({
      name,
      service,
      facts: { kind: 'end', action, clock, passed },
      age,
    })),
    plan.skipped,
  );

const carriedOut = async (
  keyService: KeyService,
  planned: readonly PlannedExpiry[],
  context: JobContext,
): Promise<readonly EndedKey[]> => {
  if (planned.length === 0) return [];
  context.progress({ step: 'ending keys', total: planned.length });
  return keyService.expire(planned, whoOf(context), context.signal);
};

const figuresOf = ({ plan, notices }: PlannedExpiries) => ({
  selected: plan.selected,
  planned: plan.expiries.length,
  skipped: plan.skipped.filter(needsAttention).length,
  notices: notices.length,
});

const run = async (settings: ExpireSettings, context: JobContext): Promise<JobOutcome> => {
  const keyService = await keyServiceOf(context);
  const found = await planOf(keyService, settings, context);
  const { plan, notices } = found;
  const isApplied = settings.mode === 'apply';
  const summary = summaryOf(found);
  const { notified, mailed } = isApplied
    ? { notified: 0, mailed: '' }
    : await mailPlan(summary, settings.mail?.to, context);
  // Owners are told of a key that expires by itself, even if this job applies nothing.
  const ended = await carriedOut(keyService, [...notices, ...(isApplied ? plannedOf(plan) : [])], context);
  const failed = failureOf(
    ended
      .filter(({ done }) => !done)
      .map(({ name, message }) => ({ service: name, code: 'rotation-blocked', message })),
  );
  if (failed !== undefined) throw failed;
  const noticed = notices.length === 0 ? '' : `; ${countText(notices.length, 'notice')} of keys that expire`;
  const kept = plan.skipped.filter(needsAttention).length;
  const did = isApplied
    ? `${countsText(countsBy(plannedOf(plan))) || 'nothing to end'}${skippedText(kept)}`
    : localeOf('en').plans.title(summary.counts);
  return {
    summary: `${did}, of ${countText(plan.selected, 'key')}${noticed}${mailed}`,
    figures: { mode: settings.mode, ...figuresOf(found), notified },
  };
};

/** Ends keys without proven use in stages, and warns owners before a key expires. */
export const expireKeysKind = defineJobKind({
  kind: 'expire-keys',
  onlyForbid: true,
  description:
    'Warns about, expires and deletes idle keys in stages, and notifies owners before a key expires.',
  shape: expireShape,
  faults: expireFaults,
  run: async (settings, context) =>
    context.trigger === 'backfill'
      ? { summary: 'nothing to do: keys cannot be ended in the past', figures: {} }
      : run(settings, context),
  plan: async (settings, context) => {
    if (context.trigger === 'backfill') return ['nothing: keys cannot be ended in the past'];
    const found = await planOf(await keyServiceOf(context), settings, context);
    return planLines(
      summaryOf(found),
      context.zone,
      found.notices.map(
        ({ name, action }) => `${name}: ${endText(action, (at) => formatSlot(at, context.zone))}`,
      ),
    );
  },
});
