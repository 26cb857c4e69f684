import { fault, shellWord, type UnixMillis } from '../../../core/index.ts';
import { deadBy, isLive, newestOf, type KeyEvent, type RotationTerms } from '../../../keys/index.ts';
import { generationsOf, type FoundKey } from './find.ts';
import type { KeyJob } from '../../keys/job-plans.ts';
import type { KeyWork } from './key-work.ts';

/** A key of one service must not replace that of another. @throws Fault `wrong-use` */
export const refuseOverwriting = (
  { planner, now }: KeyWork,
  job: KeyJob,
  service: string,
  keys: readonly FoundKey[],
): void => {
  const other = planner.overwrites(job.name, service, { at: now(), keys });
  if (other === undefined) return;
  throw fault(
    'wrong-use',
    `job ${job.name} cannot deliver a key of ${service}: it would overwrite the key of ${other}, which is delivered to the same location`,
    {
      advice: `specify a job that delivers ${service} to a location of its own, or declare one, such as with {service} in the path or name under \`deliver\``,
    },
  );
};

/** A key that its job does not select would never be rotated. @throws Fault `wrong-use` */
export const refuseLeftOut = (
  { planner, now }: KeyWork,
  job: KeyJob,
  service: string,
  group: string,
): void => {
  const at = now();
  const out = planner.leavesOut(job.name, { service, group, at });
  if (out === undefined) return;
  throw fault(
    'wrong-use',
    `job ${job.name} does not select ${out.name}, so it would never be rotated: the job selects ${out.selection}`,
    {
      advice: `choose a service name that matches, specify another job, or widen \`keys\` of job ${job.name}`,
    },
  );
};

/** A successor cannot get a share of a quota that is used up. @throws Fault `wrong-use` */
export const refuseNothingLeft = (
  { key, service }: FoundKey,
  { quota }: RotationTerms,
  now: UnixMillis,
): void => {
  if ((quota.kind !== 'carry' && quota.kind !== 'split') || deadBy(key, now) !== 'exhausted') return;
  throw fault(
    'wrong-use',
    `${key.name} (id ${key.id}) has no quota left, and its job ${quota.kind === 'carry' ? 'carries it over to' : 'splits it with'} the new key`,
    {
      advice: `specify the quota of the new key: \`tollkeeper keys rotate ${shellWord(service)} --quota AMOUNT\`, or --quota unlimited`,
    },
  );
};

const describeSinks = (keyId: number, history: readonly KeyEvent[]): string | undefined => {
  const proven = history.findLast((event) => event.what === 'read-back' && event.keyId === keyId);
  if (proven?.what === 'read-back' && proven.places.length > 0)
    return `${proven.places.join(' and ')} ${proven.places.length === 1 ? 'holds' : 'hold'} it`;
  const begun = history.flatMap((event) =>
    event.what === 'delivering' && event.keyId === keyId ? [event.place] : [],
  );
  return begun.length === 0 ? undefined : `${[...new Set(begun)].join(' and ')} may hold it`;
};

/** Whether consumers of the service may have no other key than this one. */
const isCurrent = (found: FoundKey, line: readonly FoundKey[], now: UnixMillis): boolean => {
  if (!isLive(found, now)) return false;
  if (found.candidates?.some(({ keyId }) => keyId === found.key.id) === true) return true;
  const newest = newestOf(line, now);
  // A key whose delivery is unfinished may be held by some sinks beside the newest key.
  return newest.some(({ key }) => key.id === found.key.id) || found.unfinished === true;
};

type CurrentCheck = {
  readonly keys: readonly FoundKey[];
  readonly now: UnixMillis;
  readonly job: string | undefined;
  readonly history: () => Promise<readonly KeyEvent[]>;
};

/**
 * Refuses to end the current key manually before it has a successor.
 * @throws Fault `wrong-use`, with the sinks that hold it and the next step
 */
export const refuseCurrent = async (
  found: FoundKey,
  { keys, now, job, history }: CurrentCheck,
): Promise<void> => {
  const { key, service, rotation } = found;
  const line = generationsOf(service, keys).filter(({ account }) => account === found.account);
  const turning = rotation !== undefined && rotation.part !== 'leaving' && rotation.part !== 'kept';
  if (!turning && (job === undefined || !isCurrent(found, line, now))) return;
  const holds =
    describeSinks(key.id, await history()) ??
    (job === undefined
      ? 'it is part of a rotation in progress'
      : `the job ${job} delivers it to the sinks of ${service}`);
  throw fault('wrong-use', `${key.name} (id ${key.id}) is the current key of ${service}: ${holds}`, {
    advice: `to replace a compromised key, run \`tollkeeper keys rotate ${shellWord(service)} --now\`; to end the key without a replacement, so that its consumers are refused, add --even-if-current`,
  });
};
