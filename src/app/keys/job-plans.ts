import { durationText, fault, noProgress, type UnixMillis } from '../../core/index.ts';
import type { Config, Job } from '../../config/index.ts';
import {
  clashes,
  planExpiries,
  rotationPolicy,
  type ExpireSettings,
  type RotateSettings,
} from '../../jobs/index.ts';
import {
  isKeyName,
  isSelected,
  isServiceName,
  knownKey,
  needsAttention,
  planRotations,
  printKeyName,
  templateOf,
  withUsableSinks,
  type SkippedKey,
  type KeyService,
  type KeySurvey,
  type PlannedExpiry,
  type PlannedRotation,
  type RotationPolicy,
  type RotationTerms,
  type SinkSpec,
  type SurveyedKey,
} from '../../keys/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';
import { costOwnersOf } from '../accounts/cost-owners.ts';

export type KeyJob = {
  readonly name: string;
  readonly kind: string;
  readonly account: string;
  readonly zone: string;
};

export type JobKeyPlan = {
  readonly rotations: readonly PlannedRotation[];
  readonly expiries: readonly PlannedExpiry[];
  readonly notes: readonly string[];
};

export type FreshKeyPlan = JobKeyPlan & {
  readonly skipped: readonly Pick<SkippedKey, 'keyId' | 'name' | 'reason' | 'message'>[];
};

/** What the configuration says about keys: which job covers one, and what it would do now. */
export type KeyPlanner = ReturnType<typeof createJobPlans>;

export type JobPlansDeps = {
  readonly config: Config;
  readonly keyService: (
    account: string,
  ) => Promise<Pick<KeyService, 'history' | 'keptBySinks' | 'unusableSink'>>;
  readonly warehouse: Pick<Warehouse, 'keys' | 'snapshots' | 'clocks'>;
};

const jobOf = ({ name, kind, account, timezone: zone }: Job): KeyJob => ({ name, kind, account, zone });

const policyOf = (job: Job): RotationPolicy =>
  // The config has parsed the fields with the shape of this kind.
  rotationPolicy({ name: job.name, zone: job.timezone }, job.fields as RotateSettings);

const skipNotes = (skipped: readonly SkippedKey[]): readonly string[] => {
  const notable = skipped.filter(needsAttention);
  const usual = skipped.length - notable.length;
  return [
    ...notable.map(({ name, message }) => `skipped: ${name}: ${message}`),
    ...(usual === 0 ? [] : [`skipped as expected: ${usual === 1 ? '1 key' : `${usual} keys`}`]),
  ];
};

const shareAPlace = (
  account: string,
  [one, other]: readonly [string, string],
  sinks: readonly SinkSpec[],
): boolean => {
  const of = (service: string) => ({ account, service, sinks });
  return clashes([of(one), of(other)]).some(
    ({ services }) => new Set(services.map(({ service }) => service)).size > 1,
  );
};

/** `name "prod-*", group vip and team growth`. */
const describeSelection = ({ name, group, olderThan, team, status }: RotationPolicy['select']): string => {
  const parts = [
    ...(name === undefined ? [] : [`name ${JSON.stringify(name)}`]),
    ...(group === undefined ? [] : [`group ${group}`]),
    ...(team === undefined ? [] : [`team ${team}`]),
    ...(status === undefined ? [] : [`status ${status.join(' or ')}`]),
    ...(olderThan === undefined ? [] : [`older_than ${durationText(olderThan)}`]),
  ];
  return [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter((part) => part !== '').join(' and ');
};

/** Above the number of keys of any account. */
const all = { maxPerRun: { count: 1_000_000 }, minRemaining: 0 };

export const createJobPlans = ({ config, keyService, warehouse }: JobPlansDeps) => {
  const ofKind = (kind: string): readonly Job[] =>
    Object.values(config.jobs).filter((job) => job.kind === kind);
  const rotating = ofKind('rotate-keys');
  const teamsOf = (account: string) => costOwnersOf(config.settings, account).teams;

  /** A job covers a key before the key reaches the age at which the job rotates it. */
  const covers = (job: Job, key: SurveyedKey, now: UnixMillis): boolean => {
    const { olderThan: _olderThan, ...select } = policyOf(job).select;
    return isSelected(key, select, { teams: teamsOf(job.account), now });
  };

  const rotatingNamed = (name: string): RotationPolicy => {
    const job = rotating.find((one) => one.name === name);
    if (job !== undefined) return policyOf(job);
    throw fault('wrong-use', `job ${name} does not rotate keys`, {
      advice: `specify a job of kind rotate-keys; declared: ${rotating.map((one) => one.name).join(', ') || 'none'}`,
    });
  };

  const planExpiring = async (
    { name, account, fields, timezone: zone }: Job,
    listed: KeySurvey,
    signal: AbortSignal,
  ): Promise<FreshKeyPlan> => {
    const { plan, notices } = await planExpiries(
      listed,
      { name, zone, settings: fields as ExpireSettings },
      {
        account,
        warehouse,
        teams: teamsOf(account),
        keyService: await keyService(account),
        progress: noProgress,
        signal,
      },
    );
    return {
      rotations: [],
      expiries: [...notices, ...plan.expiries.map(({ planned }) => planned)],
      notes: skipNotes(plan.skipped),
      skipped: plan.skipped,
    };
  };

  return {
    jobs: (): readonly KeyJob[] => [...rotating, ...ofKind('expire-keys')].map(jobOf),
    plan: async ({ name }: KeyJob, survey: KeySurvey, signal: AbortSignal): Promise<FreshKeyPlan> => {
      const job = config.jobs[name];
      if (job?.kind === 'expire-keys') return planExpiring(job, survey, signal);
      const policy = rotatingNamed(name);
      const account = job?.account ?? '';
      const plan = await withUsableSinks(
        planRotations(survey, policy, teamsOf(account)),
        await keyService(account),
        signal,
      );
      return {
        rotations: plan.rotations.map(({ planned }) => planned),
        expiries: [],
        notes: skipNotes(plan.skipped),
        skipped: plan.skipped,
      };
    },
    /** The first rotate-keys job of the account that covers the key, and the age in milliseconds at which it rotates it. */
    coverOf: (
      account: string,
      key: SurveyedKey,
      now: UnixMillis,
    ): { readonly job: string; readonly every: number } | undefined => {
      for (const job of rotating) {
        const { select, every } = policyOf(job);
        if (job.account === account && covers(job, key, now))
          return { job: job.name, every: Math.max(every, select.olderThan ?? 0) };
      }
      return undefined;
    },
    /** @throws Fault `wrong-use` when the job rotates no keys */
    termsOf: (job: string): RotationTerms => rotatingNamed(job).terms,
    /** Why the job cannot rotate the key. */
    obstacleOf: (
      job: string,
      { key }: SurveyedKey,
      survey: KeySurvey,
    ): { readonly reason: string; readonly message: string } | undefined => {
      const policy = { ...rotatingNamed(job), select: {}, every: 0, windows: [], limits: all };
      return planRotations(survey, policy, []).skipped.find(
        ({ keyId, reason }) => keyId === key.id && reason !== 'age-unknown',
      );
    },
    /** Why the job cannot create a first key for the service, as a sentence. */
    nameProblem: (job: string, service: string): string | undefined => {
      if (!isServiceName(service)) return 'it cannot be used in paths and commands';
      const { template } = rotatingNamed(job).terms;
      const longest = printKeyName(templateOf(template), { service, generation: 100 });
      return isKeyName(longest) ? undefined : 'the names of its keys would exceed 50 bytes';
    },
    /** The first rotate-keys job of the account that covers the key and delivers its successors. */
    delivers: (account: string, key: SurveyedKey, now: UnixMillis): string | undefined =>
      rotating.find(
        (job) =>
          job.account === account &&
          ((job.fields as RotateSettings).deliver ?? []).length > 0 &&
          covers(job, key, now),
      )?.name,
    /** Name of the first key of a service, and the job's selection as a sentence, when the job does not select that key. */
    leavesOut: (
      named: string,
      { service, group, at }: { readonly service: string; readonly group: string; readonly at: UnixMillis },
    ): { readonly name: string; readonly selection: string } | undefined => {
      const job = rotating.find(({ name }) => name === named);
      const { select, terms } = rotatingNamed(named);
      const name = printKeyName(templateOf(terms.template), { service, generation: 1 });
      // The status of a key is unknown before the gateway lists it.
      const { olderThan: _olderThan, status: _status, ...lasting } = select;
      const teams = teamsOf(job?.account ?? '');
      return isSelected(knownKey({ id: 0, name, service, generation: 1, group }), lasting, { teams, now: at })
        ? undefined
        : { name, selection: describeSelection(select) };
    },
    /** The covered service whose key would be overwritten if the job's sinks also got the key of this, uncovered, service. */
    overwrites: (name: string, service: string, { at, keys }: KeySurvey): string | undefined => {
      const job = rotating.find((one) => one.name === name);
      const sinks = (job?.fields as RotateSettings | undefined)?.deliver ?? [];
      if (job === undefined || sinks.length === 0) return undefined;
      const covered = new Set(keys.filter((key) => covers(job, key, at)).map((key) => key.service));
      if (covered.has(service)) return undefined;
      return [...covered].find((other) => shareAPlace(job.account, [other, service], sinks));
    },
  };
};
