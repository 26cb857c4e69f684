import { fault, messageOf, shellWord } from '../../core/index.ts';
import type { Clock } from '../../core/index.ts';
import { isLive } from '../../keys/index.ts';
import type { KeyService, RotationTerms } from '../../keys/index.ts';
import type { KeyOutcome } from './key-views.ts';
import type { KeyAccounts, OpenRotation } from './accounts.ts';
import { expireNow, outcomeOf } from './carry.ts';
import type { Carry } from './carry.ts';
import type { FoundKey } from './find.ts';

export type Run = Pick<Carry, 'progress' | 'signal'>;

/** Of a leaked key: no time for both, and no waiting for evidence. */
export const atOnce = (terms: RotationTerms): RotationTerms => {
  const retire = { ...terms.retire, when: 'now', ending: 'delete' } as const;
  return { ...terms, overlap: 0, retire };
};

type LeakDeps = {
  readonly clock: Clock;
  readonly keyService: (account: string) => KeyService;
  readonly accounts: KeyAccounts;
  /** Takes the steps of an open rotation that can be taken now. */
  readonly resumeRotation: (open: OpenRotation, run: Run) => Promise<KeyOutcome>;
};

/** What a leaked key asks for beside a rotation of its own. */
export const createCompromiseOperations = ({ clock, keyService, accounts, resumeRotation }: LeakDeps) => {
  const isCompromise = async ({ account, view }: OpenRotation): Promise<boolean> => {
    const history = await keyService(account).history(view.service);
    const planned = history.findLast((event) => event.what === 'planned' && event.rotation === view.id);
    return planned?.what === 'planned' && planned.terms.retire.when === 'now';
  };

  /**
   * What is under way does not wait for a leaked key, nor a leaked key for it: one that has a successor in every sink goes at
   * once, whatever its part was. Nothing where a rotation is to begin.
   */
  const resumeCompromised = async (
    open: OpenRotation,
    named: string,
    { key, service, generation }: FoundKey,
    all: readonly FoundKey[],
    who: string,
    run: Run,
  ): Promise<KeyOutcome | undefined> => {
    const { account, view } = open;
    const compromises = await isCompromise(open);
    const isThere = all.some((one) => one.account === account && one.key.id === view.old?.keyId);
    // Said again of the service, it is the same leak until its key is gone; a key that is named is that key.
    if (compromises && (view.old?.keyId === key.id || (named === service && isThere)))
      return resumeRotation(open, run);
    if (compromises && view.cutOver !== true) {
      const { rotations } = await resumeRotation(open, run);
      const note = `${key.name} is not ended yet: order this again once the rotation under way has delivered its key; where it waits for you, fix what it says and let it go on with \`tollkeeper keys resume ${shellWord(service)}\``;
      return { ...outcomeOf(rotations, [], [note]), good: false };
    }
    if (view.cutOver !== true)
      throw fault(
        'wrong-use',
        `${service} has a rotation under way that is not for a leaked key: ${view.words}`,
        { advice: `end it with \`tollkeeper keys give-up ${service}\` and order this again` },
      );
    const successor = all.find((one) => one.account === account && one.key.id === view.candidate?.keyId);
    // What sinks hold does not work: the leaked key is all there is until there is another.
    const isReplaced = successor !== undefined && isLive(successor, clock.now());
    if (successor?.key.id === key.id || !isReplaced) return undefined;
    const planned = {
      keyId: key.id,
      generation,
      name: key.name,
      service,
      action: { kind: 'delete' },
      // A leaked key goes wherever it is.
      evenIfCurrent: true,
    } as const;
    const changes = await expireNow(
      { account, keyService: keyService(account), signal: run.signal },
      [planned],
      who,
    );
    const { rotations, good } = await resumeRotation(open, run);
    return { ...outcomeOf(rotations, changes), good: good && changes.every(({ done }) => done) };
  };

  /** Of a leaked key's service: what else works, so that nobody takes it for ended. */
  const leftOf = async (
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
      keys = await accounts.keysOf(account, signal);
    } catch (error) {
      return [
        `what else of ${service} works could not be looked up (${messageOf(error)}): \`tollkeeper keys list ${shellWord(service)}\` shows it`,
      ];
    }
    return keys
      .filter((one) => one.service === service && isLive(one, clock.now()) && !seenTo.includes(one.key.id))
      .map(
        ({ key }) =>
          `${key.name} works on: if it leaked too, \`tollkeeper keys rotate id:${key.id} --now\` ends it at once`,
      );
  };

  return { resumeCompromised, leftOf };
};
