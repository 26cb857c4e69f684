import { unixSeconds, type Money, type UnixSeconds } from '../../core/index.ts';
import type { ApiKey, KeyPatch } from '../../gateway/index.ts';
import type { LearnedPoint } from '../../warehouse/index.ts';
import { omitsText, updatePoints, type UpdateField } from './knowledge.ts';
import { probeStep, type ProbeDeps, type ProbeStep } from './probe-step.ts';

type Fields = Omit<KeyPatch, 'id' | 'rest'>;

const textOf: Readonly<Record<UpdateField, (key: ApiKey) => string>> = {
  name: ({ name }) => name,
  remain_quota: ({ remainQuota }) => remainQuota,
  unlimited_quota: ({ unlimitedQuota }) => String(unlimitedQuota),
  expired_time: ({ expiredTime }) => String(expiredTime),
  group: ({ group = '' }) => group,
};

const createNotes = () => {
  const kept = new Set<UpdateField>();
  const lost = new Set<UpdateField>();
  const messages: string[] = [];
  return {
    messages,
    /** A field counts as kept only if it kept its value each time it was omitted. */
    kept: (): ReadonlySet<UpdateField> => new Set([...kept].filter((field) => !lost.has(field))),
    look: (sent: string, before: ApiKey, step: ProbeStep, leftOut: readonly UpdateField[]): void => {
      if (step.state !== 'done') {
        const message =
          step.state === 'refused' ? `was refused (${step.message})` : 'was never seen to take effect';
        messages.push(`an update of ${sent} alone ${message}`);
        return;
      }
      const seen = leftOut.map((field) => {
        const [was, is] = [textOf[field](before), textOf[field](step.key)];
        (was === is ? kept : lost).add(field);
        return was === is ? `kept ${field} ${was}` : `turned ${field} from ${was} to ${is}`;
      });
      messages.push(`an update of ${sent} alone ${seen.length === 0 ? 'was taken' : seen.join(', ')}`);
    },
  };
};

const later = (moment: UnixSeconds, by: number): UnixSeconds => unixSeconds(moment + by);

/** A group that other keys of the account use; the default group would look kept in any case. */
const otherGroup = async (key: ApiKey, { gateway, signal }: ProbeDeps): Promise<string | undefined> => {
  const keys = await gateway.listKeys({ signal });
  return keys
    .map(({ group }) => group)
    .find((group) => group !== undefined && group !== '' && group !== key.group);
};

const zeroExpiry = (before: ApiKey, step: ProbeStep): readonly LearnedPoint[] => {
  if (step.state !== 'done' || before.expiredTime === 'never') return [];
  const { expiredTime } = step.key;
  if (expiredTime !== 'never' && expiredTime !== 0) return [];
  return [
    {
      point: updatePoints.zeroExpiry,
      value: expiredTime === 'never' ? 'never expires' : 'expired',
      evidence: `left out of an update, the expired_time of a temporary key turned from ${before.expiredTime} to ${expiredTime === 'never' ? -1 : expiredTime}`,
      how: 'probe',
    },
  ];
};

/**
 * Learns which fields keep their values when an update omits them. Each update also changes a field, which proves that it took effect. `end`: the
 * expiry that the key was created with; `quota`: a number that differs from the last one written; `follows`: whether the read quota follows the
 * written one.
 */
export const probeOmits = async (
  made: ApiKey,
  { end, quota, follows }: { readonly end: UnixSeconds; readonly quota: Money; readonly follows: boolean },
  deps: ProbeDeps,
): Promise<readonly LearnedPoint[]> => {
  const notes = createNotes();
  const { id, name } = made;
  let key = made;
  const send = async (
    sent: string,
    fields: Fields,
    seen: (key: ApiKey) => boolean,
    leftOut: readonly UpdateField[],
  ): Promise<ProbeStep> => {
    const before = key;
    const step = await probeStep({ id, ...fields }, seen, deps);
    notes.look(sent, before, step, leftOut);
    key = step.key;
    return step;
  };
  const expiringAt =
    (moment: UnixSeconds) =>
    ({ expiredTime }: ApiKey): boolean =>
      expiredTime === moment;

  const quotaToo: readonly UpdateField[] = follows ? ['remain_quota'] : [];
  const first = later(end, 3600);
  await send('name and expired_time', { name, expiredTime: first }, expiringAt(first), quotaToo);
  const before = key;
  const second = await send(
    'name, remain_quota and unlimited_quota',
    { name, remainQuota: quota, unlimitedQuota: true },
    ({ unlimitedQuota }) => unlimitedQuota,
    ['expired_time'],
  );
  if (notes.kept().size === 1 + quotaToo.length) {
    const third = later(end, 7200);
    const rest = [...quotaToo, 'unlimited_quota'] as const;
    const bare = await send('expired_time', { expiredTime: third }, expiringAt(third), ['name', ...rest]);
    if (bare.state === 'refused')
      await send('name and expired_time', { name, expiredTime: third }, expiringAt(third), rest);
    const group = await otherGroup(made, deps);
    if (group === undefined) notes.messages.push('no second group is known, so group was not left out');
    else {
      const moved = await send('name and group', { name, group }, (one) => one.group === group, [
        'expired_time',
      ]);
      if (moved.state === 'done')
        await send('name and expired_time', { name, expiredTime: first }, expiringAt(first), ['group']);
    }
  }
  return [
    {
      point: updatePoints.omits,
      value: omitsText(notes.kept()),
      evidence: `on a temporary key ${notes.messages.join('; ')}`,
      how: 'probe',
    },
    ...zeroExpiry(before, second),
  ];
};
