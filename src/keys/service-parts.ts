import { fault, toMillis, type UnixMillis } from '../core/index.ts';
import type { ApiKey } from '../gateway/index.ts';
import { creationTime } from './plan/key-state.ts';
import { generationKey } from './cycle/cycle.ts';
import type { EngineDeps } from './cycle/engine-deps.ts';
import type { KeyJournal } from './journal/journal.ts';
import type { GenerationKey, Rotation } from './model/rotation.ts';
import { probeService } from './update/probe.ts';
import { openRotations } from './model/key-state.ts';

export const commonOf =
  ({ account, clock }: Pick<EngineDeps, 'account' | 'clock'>) =>
  (who: string, service: string, rotation: string) => ({ at: clock.now(), who, account, service, rotation });

/** With a damaged journal, open rotations are unknown, which must not read as "none". @throws Fault */
export const checkJournal = (journal: KeyJournal): void => {
  const problem = journal.problem();
  if (problem !== undefined) throw problem;
};

export const openRotation = (journal: KeyJournal, account: string, service: string): Rotation | undefined =>
  openRotations(journal.state(account)).find((rotation) => rotation.service === service);

export const adoptionOf = (key: GenerationKey, born: UnixMillis) => ({
  what: 'adopted' as const,
  ...generationKey(key),
  born,
});

/** The creation time of the key; `now` if the gateway does not state it, where any time will do. */
export const createdAtOr = (key: ApiKey, now: UnixMillis): UnixMillis => {
  const created = creationTime(key);
  return created === undefined ? now : toMillis(created);
};

/** Keys of the probe service are deleted wherever they are found. @throws Fault wrong-use */
export const checkService = (service: string): void => {
  if (service !== probeService) return;
  throw fault('wrong-use', `${service} is reserved for temporary keys`, {
    advice: 'choose another service name',
  });
};
