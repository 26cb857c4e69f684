import { fault, messageOf, shellWord } from '../../../core/index.ts';
import { isLive, outcomeOf, type RotationTerms, type KeyOutcome } from '../../../keys/index.ts';
import type { OpenRotation } from './accounts.ts';
import type { FoundKey } from './find.ts';
import type { KeyWork, Run } from './key-work.ts';

/** A compromised key gets no overlap and no wait for evidence of use. */
export const atOnce = (terms: RotationTerms): RotationTerms => {
  const retire = { ...terms.retire, when: 'now', ending: 'delete' } as const;
  return { ...terms, overlap: 0, retire };
};

export const resumeRotation = async (
  work: KeyWork,
  { account, view }: OpenRotation,
  run: Run,
): Promise<KeyOutcome> => {
  const keyService = await work.keyService(account);
  return outcomeOf({ advanced: await keyService.advance({ ...run, ids: [view.id], untilIdle: true }) });
};

const isCompromise = async (work: KeyWork, { account, view }: OpenRotation): Promise<boolean> => {
  const history = await (await work.keyService(account)).history(view.service);
  const planned = history.findLast((event) => event.what === 'planned' && event.rotation === view.id);
  return planned?.what === 'planned' && planned.terms.retire.when === 'now';
};

type Compromised = {
  readonly named: string;
  readonly found: FoundKey;
  readonly all: readonly FoundKey[];
  readonly who: string;
};

/**
 * Open rotations must not delay a compromised key: one with a successor in every sink is deleted at once, as old or new key.
 * Returns nothing when a rotation is to be started.
 */
export const resumeCompromised = async (
  work: KeyWork,
  open: OpenRotation,
  { named, found: { key, service, generation }, all, who }: Compromised,
  run: Run,
): Promise<KeyOutcome | undefined> => {
  const { account, view } = open;
  const compromises = await isCompromise(work, open);
  const isThere = all.some((one) => one.account === account && one.key.id === view.old?.keyId);
  // Until the compromised key is gone, naming the service means the same key; naming a key means that key.
  if (compromises && (view.old?.keyId === key.id || (named === service && isThere)))
    return resumeRotation(work, open, run);
  if (compromises && view.cutOver !== true) {
    const resumed = await resumeRotation(work, open, run);
    const note = `${key.name} is not ended yet: repeat this command once the rotation in progress has delivered its key; if that rotation is paused, fix the cause and resume it with \`tollkeeper keys resume ${shellWord(service)}\``;
    return { ...resumed, notes: [note], good: false };
  }
  if (view.cutOver !== true)
    throw fault(
      'wrong-use',
      `${service} has a rotation in progress that does not replace a compromised key: ${view.message}`,
      { advice: `end it with \`tollkeeper keys give-up ${service}\` and repeat this command` },
    );
  const successor = all.find((one) => one.account === account && one.key.id === view.candidate?.keyId);
  // The sinks hold a key that does not work: the compromised key is the only working one until a successor exists.
  const isReplaced = successor !== undefined && isLive(successor, work.now());
  if (successor?.key.id === key.id || !isReplaced) return undefined;
  const planned = {
    keyId: key.id,
    generation,
    name: key.name,
    service,
    action: { kind: 'delete' },
    // A compromised key is deleted even if consumers have no other.
    evenIfCurrent: true,
  } as const;
  const keyService = await work.keyService(account);
  const changes = await keyService.expire([planned], who, run.signal);
  const resumed = await resumeRotation(work, open, run);
  return { ...resumed, changes, good: resumed.good && changes.every(({ done }) => done) };
};

/** Names the other working keys of the service, because ending the compromised key leaves them unchanged. */
export const leftOf = async (
  work: KeyWork,
  { service, account }: FoundKey,
  { rotations }: KeyOutcome,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  // The gateway may list a key that is being deleted for a while.
  const seenTo = rotations.flatMap(({ candidate, old, stage }) => [
    candidate?.keyId,
    ...(stage === 'done' || stage === 'retiring' ? [old?.keyId] : []),
  ]);
  let keys: readonly FoundKey[];
  try {
    keys = await work.accounts.keysOf(account, signal);
  } catch (error) {
    return [
      `other valid keys of ${service} could not be determined (${messageOf(error)}): \`tollkeeper keys list ${shellWord(service)}\` shows them`,
    ];
  }
  return keys
    .filter((one) => one.service === service && isLive(one, work.now()) && !seenTo.includes(one.key.id))
    .map(
      ({ key }) =>
        `${key.name} remains valid: if it is compromised too, \`tollkeeper keys rotate id:${key.id} --now\` ends it immediately`,
    );
};
