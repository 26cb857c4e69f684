import { unixMillis, type OwnStamps, type UnixMillis } from '../../core/index.ts';
import type { ApiKey } from '../../gateway/index.ts';
import type { KeyAlert } from '../service-types.ts';
import type { KeyEvent, KeyUse } from '../key-event.ts';
import type { Attempt, Rotation } from '../rotation.ts';
import type { EngineDeps } from './engine-deps.ts';

/** One going over the rotations of an account, with the list of keys they share. */
export type Cycle = {
  readonly deps: EngineDeps;
  readonly signal: AbortSignal;
  /** Whom the steps are written down for, where nobody else requested them. */
  readonly who: string;
  readonly requested: boolean;
  /** Hears of each step before it is taken. */
  readonly onStep: (rotation: Rotation, step: string) => void;
  readonly keys: () => ReadonlyMap<number, ApiKey>;
  readonly listedAt: () => UnixMillis;
  readonly look: () => Promise<void>;
  /** Notes how a key was seen since the list: made, read or changed. */
  readonly noteMade: (key: ApiKey) => void;
  /** Keys to be left alone for the rest of the cycle, with the reason. */
  readonly resting: Map<number, string>;
  /** Keys whose deletion was asked for since the last list. */
  readonly removed: Set<number>;
  /** Keys whose deletion the gateway has answered to in this cycle: that it did it, or knows no such key. */
  readonly answered: Set<number>;
  /** Rotations that a key was asked for: whatever goes wrong, a cycle asks once for each. */
  readonly made: Set<string>;
  /** Names of keys whose lost answers were waited out once. */
  readonly waitedFor: Set<string>;
  /** Services whose keys and sinks were compared with the journal in this cycle. */
  readonly checked: Set<string>;
  /** Old keys in their overlap for which the sinks were read in this cycle. */
  readonly overlapChecked: Set<number>;
  /** Calls by name since the stored log ends, as far as they were read in this cycle. */
  readonly recentUses: Map<string, KeyUse>;
  /** What the stamps of our own keys in the list show of the gateway's clock, by the moment since which they count. */
  readonly ownStamps: Map<number, Promise<OwnStamps>>;
  /** Rotations that wait for another one to come further. */
  readonly blocked: Set<string>;
};

export const openCycle = async (
  deps: EngineDeps,
  options: Pick<Cycle, 'signal' | 'who' | 'requested'> & Partial<Pick<Cycle, 'onStep'>>,
): Promise<Cycle> => {
  let keys: Map<number, ApiKey> = new Map();
  let listedAt = unixMillis(0);
  const removed = new Set<number>();
  const ownStamps: Cycle['ownStamps'] = new Map();
  const look = async (): Promise<void> => {
    // What comes while it is listed may be missing.
    const began = deps.clock.now();
    const listed = await deps.gateway.list(options.signal);
    keys = new Map(listed.map((key) => [key.id, key]));
    listedAt = began;
    removed.clear();
    ownStamps.clear();
    await deps.keepInventory?.(listed);
  };
  await look();
  return {
    deps,
    onStep: () => undefined,
    ...options,
    keys: () => keys,
    listedAt: () => listedAt,
    look,
    noteMade: (key) => keys.set(key.id, key),
    resting: new Map(),
    answered: new Set(),
    made: new Set(),
    blocked: new Set(),
    checked: new Set(),
    overlapChecked: new Set(),
    recentUses: new Map(),
    ownStamps,
    waitedFor: new Set(),
    removed,
  };
};

type Bare<Event> = Event extends KeyEvent
  ? Omit<Event, 'at' | 'who' | 'account' | 'service' | 'rotation'>
  : never;

/** A step without what all steps of a rotation share. */
export type Step = Bare<KeyEvent>;

/** Writes steps of a rotation down. */
export const note = async (
  cycle: Cycle,
  rotation: Pick<Rotation, 'id' | 'service'> & { readonly who?: string },
  ...steps: readonly Step[]
): Promise<void> => {
  const { journal, account, clock } = cycle.deps;
  await journal.record(
    steps.map((step) => ({
      at: clock.now(),
      // What is requested is done for whoever began it.
      who: cycle.requested ? (rotation.who ?? cycle.who) : cycle.who,
      account,
      service: rotation.service,
      rotation: rotation.id,
      ...step,
    })),
  );
};

/** Tells operators of a rotation, or of what stands for one. */
export const notifyOf = (
  { deps: { account, notify } }: Cycle,
  { id, service }: Pick<Rotation, 'id' | 'service'>,
  alert: Omit<KeyAlert, 'account' | 'service' | 'rotation'>,
): Promise<void> => notify({ account, service, rotation: id, ...alert });

/** Names the plaintext of an attempt. */
export const plaintextOf = (
  rotation: Pick<Rotation, 'account' | 'service'>,
  attempt: Pick<Attempt, 'generation'>,
): string => JSON.stringify([rotation.account, rotation.service, attempt.generation]);

/** An attempt's place in its line; only for one that has a key. */
export const generationKeyOf = (attempt: Attempt, keyId: number | undefined = attempt.keyId) => {
  if (keyId === undefined) throw new RangeError(`${attempt.name} has no key`);
  return { keyId, generation: attempt.generation, name: attempt.name };
};

export const generationKey = ({
  keyId,
  generation,
  name,
}: {
  keyId: number;
  generation: number;
  name: string;
}) => ({
  keyId,
  generation,
  name,
});
