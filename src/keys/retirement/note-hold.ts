import { generationKey, note, notifyOf, type Cycle } from '../cycle/cycle.ts';
import { holdRecord } from '../events/notices.ts';
import type { HoldFacts } from '../model/event-fields.ts';
import type { OldKey, Rotation } from '../model/rotation.ts';

type HoldNotice = {
  /** False: the hold is recorded without a notification. */
  readonly notifies?: boolean;
  /** Whether the old key has outlived its longest overlap. */
  readonly escalated?: boolean;
  /** Whether the key ends at its time regardless. */
  readonly isTimed?: boolean;
  /** The last part of the key of the notification. */
  readonly key?: string;
};

/**
 * Notifies why an old key is retained, and then records it: a kill in between must not lose the notification. Returns the reason as the journal
 * has it.
 */
export const noteHold = async (
  cycle: Cycle,
  rotation: Rotation,
  old: OldKey,
  why: HoldFacts,
  { notifies = true, escalated = false, isTimed = false, key }: HoldNotice = {},
): Promise<string> => {
  const what = escalated ? 'escalated' : 'held';
  const use = why.reason === 'used' ? { use: why.use } : {};
  if (notifies)
    await notifyOf(cycle, rotation, {
      kind: what,
      about: { event: 'held', name: old.name, why, escalated, isTimed },
      ...use,
      key: `${rotation.id}/${old.keyId}/${key ?? `${why.reason}/${what}`}`,
    });
  const record = holdRecord({ ...old, service: rotation.service, why }, cycle.deps.zone);
  const event = { ...generationKey(old), ...record, ...use };
  await note(cycle, rotation, escalated ? { what: 'escalated', ...event } : { what: 'held', ...event });
  return record.words;
};
