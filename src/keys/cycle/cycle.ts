import { unixMillis, type OwnStamps, type UnixMillis } from '../../core/index.ts';
import type { ApiKey } from '../../gateway/index.ts';
import type { KeyAlert } from '../model/alert.ts';
import type { KeyEvent } from '../events/key-event.ts';
import type { KeyUse } from '../model/event-fields.ts';
import type { Attempt, Rotation } from '../model/rotation.ts';
import type { EngineDeps } from './engine-deps.ts';

/** One pass over the rotations of an account, with the key list that they share. */
export type Cycle = {
  readonly deps: EngineDeps;
  readonly signal: AbortSignal;
  /** The actor of the recorded steps, unless a person requested the operation. */
  readonly who: string;
  readonly requested: boolean;
  readonly onStep: (rotation: Rotation, step: string) => void;
  readonly keys: () => ReadonlyMap<number, ApiKey>;
  readonly listedAt: () => UnixMillis;
  readonly look: () => Promise<void>;
  /** Records the current state of a key that was created, read or changed after the list. */
  readonly noteMade: (key: ApiKey) => void;
  /** Keys that the rest of the cycle leaves alone, with the reason. */
  readonly resting: Map<number, string>;
  /** Keys whose deletion was requested since the last list. */
  readonly removed: Set<number>;
  /** Keys whose deletion the gateway answered in this cycle: deleted, or unknown to it. */
  readonly answered: Set<number>;
  /** Rotations that requested a key: a cycle requests at most one per rotation, even after a failure. */
  readonly made: Set<string>;
  /** Names of keys for which this cycle has already waited after a lost answer. */
  readonly waitedFor: Set<string>;
  /** Services whose keys and sinks this cycle has compared with the journal. */
  readonly checked: Set<string>;
  readonly overlapChecked: Set<number>;
  /** Old keys whose use this cycle has looked at, to notify their owners. */
  readonly useLookedAt: Set<number>;
  /** Calls by key name since the end of the stored log, as far as this cycle has read them. */
  readonly recentUses: Map<string, KeyUse>;
  /** What the stamps of our own listed keys prove about the gateway's clock, by the moment from which stamps count. */
  readonly ownStamps: Map<number, Promise<OwnStamps>>;
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
    // The list may miss keys that are created while it is read.
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
    useLookedAt: new Set(),
    recentUses: new Map(),
    ownStamps,
    waitedFor: new Set(),
    removed,
  };
};

type Bare<Event> = Event extends KeyEvent
  ? Omit<Event, 'at' | 'who' | 'account' | 'service' | 'rotation'>
  : never;

/** A key event without the fields that all events of a rotation share. */
export type NewEvent = Bare<KeyEvent>;

export const note = async (
  cycle: Cycle,
  rotation: Pick<Rotation, 'id' | 'service'> & { readonly who?: string },
  ...events: readonly NewEvent[]
): Promise<void> => {
  const { journal, account, clock } = cycle.deps;
  await journal.record(
    events.map((event) => ({
      at: clock.now(),
      // A requested step is attributed to the person who started the rotation.
      who: cycle.requested ? (rotation.who ?? cycle.who) : cycle.who,
      account,
      service: rotation.service,
      rotation: rotation.id,
      ...event,
    })),
  );
};

/** Notifies operators about a rotation, or about an operation that has an id of the same form. */
export const notifyOf = (
  { deps: { account, notify } }: Cycle,
  { id, service }: Pick<Rotation, 'id' | 'service'>,
  alert: Omit<KeyAlert, 'account' | 'service' | 'rotation'>,
): Promise<void> => notify({ account, service, rotation: id, ...alert });

export const plaintextOf = (
  rotation: Pick<Rotation, 'account' | 'service'>,
  attempt: Pick<Attempt, 'generation'>,
): string => JSON.stringify([rotation.account, rotation.service, attempt.generation]);

/** @throws RangeError when the attempt has no key */
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
