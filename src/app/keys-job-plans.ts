import { fault, noProgress } from '../base/index.ts';
import type { Config, Job } from '../config/index.ts';
import { expiryPolicy, gatherExpiry, rotationPolicy } from '../jobs/index.ts';
import type { ExpireSettings, RotateSettings } from '../jobs/index.ts';
import {
  isKeyName,
  isSelected,
  isServiceName,
  needsWords,
  planExpiry,
  planNotices,
  planRotations,
  printKeyName,
  templateOf,
} from '../keys/index.ts';
import type { HeldKey, KeyDesk, KeySurvey, RotationPolicy } from '../keys/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import type { FreshKeyPlan, KeyJob, KeyPlanner } from './keys-planner.ts';
import { payersOf } from './payers.ts';

export type JobPlansMeans = {
  readonly config: Config;
  readonly desk: (account: string) => Pick<KeyDesk, 'history'>;
  readonly warehouse: Pick<Warehouse, 'keys' | 'snapshots'>;
};

const jobOf = ({ name, kind, account, timezone: zone }: Job): KeyJob => ({ name, kind, account, zone });

const policyOf = (job: Job): RotationPolicy =>
  // The config has parsed the fields with the shape of this kind.
  rotationPolicy({ name: job.name, zone: job.timezone }, job.fields as RotateSettings);

const heldNotes = (held: readonly HeldKey[]): readonly string[] => {
  const told = held.filter(needsWords);
  const usual = held.length - told.length;
  return [
    ...told.map(({ name, words }) => `left as it is: ${name}: ${words}`),
    ...(usual === 0 ? [] : [`left as usual: ${usual === 1 ? '1 key' : `${usual} keys`}`]),
  ];
};

/** More than any account has. */
const all = { maxPerRun: { count: 1_000_000 }, minRemaining: 0 };

/** What the jobs of a config say of keys. */
export const createJobPlans = ({ config, desk, warehouse }: JobPlansMeans): KeyPlanner => {
  const ofKind = (kind: string): readonly Job[] =>
    Object.values(config.jobs).filter((job) => job.kind === kind);
  const rotating = ofKind('rotate-keys');
  const teamsOf = (account: string) => payersOf(config.settings, account).teams;

  const rotatingNamed = (name: string): RotationPolicy => {
    const job = rotating.find((one) => one.name === name);
    if (job !== undefined) return policyOf(job);
    throw fault('wrong-use', `job ${name} rotates no keys`, {
      advice: `name a job of kind rotate-keys; there are: ${rotating.map((one) => one.name).join(', ') || 'none'}`,
    });
  };

  const planExpiring = async (
    { account, fields }: Job,
    survey: KeySurvey,
    signal: AbortSignal,
  ): Promise<FreshKeyPlan> => {
    const settings = fields as ExpireSettings;
    const policy = expiryPolicy(settings);
    const teams = teamsOf(account);
    const history = await desk(account).history();
    const means = { account, warehouse, teams, history, progress: noProgress, signal };
    const plan = planExpiry(survey, policy, await gatherExpiry(survey, policy, means), teams);
    const notices = planNotices(survey, settings.notices, history);
    return {
      rotations: [],
      expiries: [...notices, ...plan.expiries.map(({ planned }) => planned)],
      notes: heldNotes(plan.held),
      held: plan.held,
    };
  };

  return {
    jobs: () => [...rotating, ...ofKind('expire-keys')].map(jobOf),
    plan: async ({ name }, survey, signal) => {
      const job = config.jobs[name];
      if (job?.kind === 'expire-keys') return planExpiring(job, survey, signal);
      const policy = rotatingNamed(name);
      const plan = planRotations(survey, policy, teamsOf(job?.account ?? ''));
      return {
        rotations: plan.rotations.map(({ planned }) => planned),
        expiries: [],
        notes: heldNotes(plan.held),
        held: plan.held,
      };
    },
    coverOf: (account, key, now) => {
      const means = { teams: teamsOf(account), now };
      for (const job of rotating) {
        // A key is of a job before it has the age at which the job looks at it.
        const { select, every } = policyOf(job);
        const { olderThan = 0, ...rest } = select;
        if (job.account === account && isSelected(key, rest, means))
          return { job: job.name, every: Math.max(every, olderThan) };
      }
      return undefined;
    },
    termsOf: (job) => rotatingNamed(job).terms,
    obstacleOf: (job, { key }, survey) => {
      const policy = { ...rotatingNamed(job), select: {}, every: 0, windows: [], limits: all };
      return planRotations(survey, policy, []).held.find(
        ({ keyId, reason }) => keyId === key.id && reason !== 'age-unknown',
      );
    },
    nameTrouble: (job, service) => {
      if (!isServiceName(service)) return 'it cannot stand in paths and commands';
      const { template } = rotatingNamed(job).terms;
      const longest = printKeyName(templateOf(template), { service, generation: 100 });
      return isKeyName(longest) ? undefined : 'the names of its keys would outgrow 50 bytes';
    },
  };
};
