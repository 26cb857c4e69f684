import { fault, formatSlot, shellWord } from '../../../core/index.ts';
import type { CommandInput, ContextOf } from '../../../control/index.ts';
import { outcomeOf, plannedRotation, type PlannedRotation, type KeyOutcome } from '../../../keys/index.ts';
import { startRotations } from './start-rotations.ts';
import { atOnce, leftOf, resumeCompromised, resumeRotation } from './compromise.ts';
import { findKey, type FoundKey } from './find.ts';
import type { KeyWork } from './key-work.ts';
import type { KeyJob } from '../../keys/job-plans.ts';
import { withQuota } from './quota.ts';
import { refuseNothingLeft, refuseOverwriting } from './refusals.ts';

const noMatterWhenCompromised: ReadonlySet<string> = new Set([
  'name-not-unique',
  'disabled',
  'expired',
  'exhausted',
  'age-unknown',
  'in-rotation',
  'revived',
  'retired',
  'unfinished',
]);

const jobFor = (
  { planner, jobNamed, now: clock }: KeyWork,
  { account, ...key }: FoundKey,
  named: string | undefined,
  now: boolean,
): KeyJob => {
  const at = clock();
  const name = named ?? (now ? planner.delivers(account, key, at) : planner.coverOf(account, key, at)?.job);
  if (name === undefined && now)
    throw fault('wrong-use', `no rotate-keys job delivers ${key.key.name}, so it cannot be replaced`, {
      advice: `\`tollkeeper keys expire id:${key.key.id}\` ends it immediately without a replacement; to replace it, first select it under \`keys\` of a rotate-keys job with a sink of its own`,
    });
  if (name === undefined)
    throw fault('wrong-use', `no rotate-keys job covers ${key.key.name}, so its successor has no sink`, {
      advice: 'specify the job whose sinks and settings apply with --job',
    });
  const job = jobNamed(name);
  if (job.account === account) return job;
  throw fault(
    'wrong-use',
    `job ${name} belongs to account ${job.account}, and ${key.key.name} is a key of ${account}`,
    {
      advice: `specify a rotate-keys job of ${account}`,
    },
  );
};

/** States when the compromised key was deleted, as confirmation that it no longer works. */
const withDeleted = async (
  work: KeyWork,
  outcome: KeyOutcome,
  { account, service, key }: FoundKey,
): Promise<KeyOutcome> => {
  const steps = await (await work.keyService(account)).history(service);
  const deleted = steps.findLast((event) => event.what === 'deleted' && event.keyId === key.id);
  if (deleted === undefined) return outcome;
  const at = formatSlot(deleted.at, work.zone);
  const note = `${key.name} (id ${key.id}) is deleted; calls with it are refused since ${at}, or up to ten minutes later if the gateway caches keys`;
  const deleting = steps.findLast((event) => event.what === 'deleting' && event.keyId === key.id);
  const unread = deleting?.what === 'deleting' ? (deleting.unread ?? []) : [];
  const left = unread.map(
    (place) => `${place} may still hold ${key.name}: no job declares it, so it was not read`,
  );
  return { ...outcome, notes: [note, ...left, ...outcome.notes] };
};

/** A person chose one of several keys of a service, so the others are no obstacle. */
const withoutClaim = (one: FoundKey, chosen: FoundKey): FoundKey => {
  if (one.key.id === chosen.key.id) return chosen;
  return one.service === chosen.service ? { ...one, candidates: undefined, retired: true } : one;
};

/** @throws Fault `wrong-use` when the key cannot be rotated */
const planned = (
  work: KeyWork,
  found: FoundKey,
  all: readonly FoundKey[],
  { job: jobName, now, quota }: Pick<CommandInput<'keys/rotate'>, 'job' | 'now' | 'quota'>,
): PlannedRotation => {
  const { planner } = work;
  const { service, key } = found;
  const job = jobFor(work, found, jobName, now);
  const terms = withQuota(planner.termsOf(job.name), quota);
  refuseNothingLeft(found, terms, work.now());
  const keys = all.filter((one) => one.account === found.account);
  const isDecided = found.candidates !== undefined;
  const chosen = isDecided ? { ...found, candidates: undefined } : found;
  const others = isDecided ? keys.map((one) => withoutClaim(one, chosen)) : keys;
  const obstacle = planner.obstacleOf(job.name, chosen, { at: work.now(), keys: others });
  // A given quota replaces one that is used up.
  const isMadeUp = obstacle?.reason === 'exhausted' && quota !== undefined;
  if (obstacle !== undefined && !isMadeUp && !(now && noMatterWhenCompromised.has(obstacle.reason)))
    throw fault('wrong-use', `${key.name} (id ${key.id}) cannot be rotated: ${obstacle.message}`, {
      advice: noMatterWhenCompromised.has(obstacle.reason)
        ? `\`tollkeeper keys rotate ${shellWord(service)} --now\` creates another key without an overlap`
        : '`tollkeeper keys list` shows the keys of the service; `tollkeeper keys expire` ends a key that is not needed',
    });
  refuseOverwriting(work, job, service, keys);
  return plannedRotation(found, now ? 'leak' : 'hand', now ? atOnce(terms) : terms);
};

/** Replaces the key of a service: resumes its open rotation, else starts one. */
export const createRotate =
  (lease: () => KeyWork) =>
  async (
    input: CommandInput<'keys/rotate'>,
    { progress, signal }: ContextOf<'progress'>,
  ): Promise<KeyOutcome> => {
    const { key: named, now, who, account } = input;
    using work = lease();
    const { accounts } = work;
    const run = { progress, signal };
    const open = await accounts.openOf(named, account);
    if (open !== undefined && !now) return await resumeRotation(work, open, run);
    const all = await accounts.allKeys(account, signal);
    const found = findKey(named, all, work.now());
    const mine = await accounts.openOf(found.service, found.account);
    if (mine !== undefined && !now) return await resumeRotation(work, mine, run);
    if (mine !== undefined) {
      const resumed = await resumeCompromised(work, mine, { named, found, all, who }, run);
      if (resumed !== undefined) return await withDeleted(work, resumed, found);
    }
    const rotation = planned(work, found, all, input);
    const keyService = await work.keyService(found.account);
    const unusable = await keyService.unusableSink(rotation.service, rotation.terms.job, signal);
    if (unusable !== undefined) throw unusable;
    const started = await startRotations(keyService, [rotation], who);
    const advanced = await keyService.advance({ ...run, ids: started.ids, untilIdle: true });
    const outcome = outcomeOf({ ...started, advanced });
    if (!now) return outcome;
    const reported = await withDeleted(work, outcome, found);
    return outcome.good
      ? { ...reported, notes: [...reported.notes, ...(await leftOf(work, found, outcome, signal))] }
      : reported;
  };
