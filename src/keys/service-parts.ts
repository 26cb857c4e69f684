import { fault, toMillis, type UnixMillis } from '../core/index.ts';
import type { ApiKey } from '../gateway/index.ts';
import { creationTime } from './plan/key-state.ts';
import { generationKey } from './rotation/cycle.ts';
import type { EngineDeps } from './rotation/engine-deps.ts';
import type { KeyJournal } from './journal/journal.ts';
import type { GenerationKey, Rotation } from './rotation.ts';
import { probeService } from './update/probe.ts';

/** What all steps of one order share. */
export const commonOf =
  ({ account, clock }: Pick<EngineDeps, 'account' | 'clock'>) =>
  (who: string, service: string, rotation: string) => ({ at: clock.now(), who, account, service, rotation });

/** Nothing is known of what is under way where the journal is damaged, which must not read as nothing there. @throws Fault */
export const checkJournal = (journal: KeyJournal): void => {
  const problem = journal.problem();
  if (problem !== undefined) throw problem;
};

export const openRotation = (journal: KeyJournal, account: string, service: string): Rotation | undefined =>
  journal.openRotations(account).find((rotation) => rotation.service === service);

/** The step by which a key that was made elsewhere comes into the line of its service. */
export const adoptionOf = (key: GenerationKey, born: UnixMillis) => ({
  what: 'adopted' as const,
  ...generationKey(key),
  born,
});

/** When a key was made, where that is told; else now is as good as any moment. */
export const createdAtOr = (key: ApiKey, now: UnixMillis): UnixMillis => {
  const created = creationTime(key);
  return created === undefined ? now : toMillis(created);
};

/** Keys of this service are cleared away wherever they are seen. @throws Fault wrong-use */
export const checkService = (service: string): void => {
  if (service !== probeService) return;
  throw fault('wrong-use', `${service} is reserved for temporary keys`, {
    advice: 'choose another service name',
  });
};
