import { fault, messageOf, shellWord } from '../../core/index.ts';
import { isLive, type RotationTerms } from '../../keys/index.ts';
import type { KeyOutcome } from './key-views.ts';
import type { OpenRotation } from './accounts.ts';
import { advanceUntilIdle, expireNow, outcomeOf, type KeyOperation } from './advance-until-idle.ts';
import type { FoundKey } from './find.ts';
import type { KeyWork } from './key-work.ts';

export type Run = Pick<KeyOperation, 'zone' | 'progress' | 'signal'>;

/** Of a compromised key: no time for both, and no waiting for evidence. */
export const atOnce = (terms: RotationTerms): RotationTerms => {
  const retire = { ...terms.retire, when: 'now', ending: 'delete' } as const;
  return { ...terms, overlap: 0, retire };
};

/** Takes the steps of an open rotation that can be taken now. */
export const resumeRotation = async (
  work: KeyWork,
  { account, view }: OpenRotation,
  run: Run,
): Promise<KeyOutcome> =>
  advanceUntilIdle({ account, keyService: await work.keyService(account), ...run }, { ids: [view.id] });

const isCompromise = async (work: KeyWork, { account, view }: OpenRotation): Promise<boolean> => {
  const history = await (await work.keyService(account)).history(view.service);
  const planned = history.findLast((event) => event.what === 'planned' && event.rotation === view.id);
  return planned?.what === 'planned' && planned.terms.retire.when === 'now';
};

/** A key that is compromised, as a person names it. */
type Compromised = {
  readonly named: string;
  readonly found: FoundKey;
  /** Every key that is looked among. */
  readonly all: readonly FoundKey[];
  readonly who: string;
};

/**
 * What is under way does not wait for a compromised key, nor a compromised key for it: one that has a successor in every sink goes at
 * once, whatever its part was. Nothing where a rotation is to begin.
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
  // Said again of the service, it is the same leak until its key is gone; a key that is named is that key.
  if (compromises && (view.old?.keyId === key.id || (named === service && isThere)))
    return resumeRotation(work, open, run);
  if (compromises && view.cutOver !== true) {
    const { rotations } = await resumeRotation(work, open, run);
    const note = `${key.name} is not ended yet: repeat this command once the rotation in progress has delivered its key; if that rotation is paused, fix the cause and resume it with \`tollkeeper keys resume ${shellWord(service)}\``;
    return { ...outcomeOf(run.zone, { rotations, notes: [note] }), good: false };
  }
  if (view.cutOver !== true)
    throw fault(
      'wrong-use',
      `${service} has a rotation in progress that does not replace a compromised key: ${view.message}`,
      { advice: `end it with \`tollkeeper keys give-up ${service}\` and repeat this command` },
    );
  const successor = all.find((one) => one.account === account && one.key.id === view.candidate?.keyId);
  // What sinks hold does not work: the leaked key is all there is until there is another.
  const isReplaced = successor !== undefined && isLive(successor, work.now());
  if (successor?.key.id === key.id || !isReplaced) return undefined;
  const planned = {
    keyId: key.id,
    generation,
    name: key.name,
    service,
    action: { kind: 'delete' },
    // A compromised key goes wherever it is.
    evenIfCurrent: true,
  } as const;
  const changes = await expireNow(
    { account, keyService: await work.keyService(account), signal: run.signal },
    [planned],
    who,
  );
  const { rotations, good } = await resumeRotation(work, open, run);
  return { ...outcomeOf(run.zone, { rotations, changes }), good: good && changes.every(({ done }) => done) };
};

/** Of a compromised key's service: what else works, so that nobody takes it for ended. */
export const leftOf = async (
  work: KeyWork,
  { service, account }: FoundKey,
  { rotations }: KeyOutcome,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  // The one that is being deleted may be listed for a while.
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
