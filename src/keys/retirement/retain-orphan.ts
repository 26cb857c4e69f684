import type { Rotation } from '../model/rotation.ts';
import type { OrphanVerdict } from './judge-orphan.ts';
import { retainRecord } from '../events/notices.ts';
import { note, notifyOf, type Cycle } from '../cycle/cycle.ts';

type Retained = Extract<OrphanVerdict, { verdict: 'retain' }>;

type Orphan = { readonly keyId: number; readonly generation: number; readonly name: string };

/** Milliseconds before operators receive a notification about a reason that may disappear with time. */
const timeout = 86_400_000;

/** Whether the key is certainly the requested one, so that its id identifies it from now on. */
export const isIdentified = ({ reason }: Retained): boolean =>
  reason !== 'ambiguous' && reason !== 'not-ours';

/** Notifies operators of an orphan that only they can end; after a day if its reason may disappear with time. */
export const notifyRetained = async (
  cycle: Cycle,
  rotation: Pick<Rotation, 'id' | 'service'>,
  { keyId, name }: Orphan,
  verdict: Retained,
  since: number,
): Promise<void> => {
  const { reason, passing, facts } = verdict;
  const identified = isIdentified(verdict);
  if (passing && cycle.deps.clock.now() - since < timeout) return;
  await notifyOf(cycle, rotation, {
    kind: 'orphan',
    about: { event: 'orphan-retained', name, keyId, identified, reason, facts },
    key: `retained/${identified ? keyId : name}/${reason}`,
  });
};

export const retainOrphan = async (
  cycle: Cycle,
  rotation: Pick<Rotation, 'id' | 'service'> & { readonly who?: string },
  orphan: Orphan,
  verdict: Retained,
  since: number,
): Promise<void> => {
  const { keyId, generation, name } = orphan;
  // Notifies before it records: a kill in between must not lose the notification.
  await notifyRetained(cycle, rotation, orphan, verdict, since);
  await note(cycle, rotation, {
    what: 'retained',
    ...(isIdentified(verdict) ? { keyId } : {}),
    generation,
    name,
    ...retainRecord({ ...verdict, name }, cycle.deps.zone),
  });
};
