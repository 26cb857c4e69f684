import { deadBy } from '../plan/key-state.ts';
import type { Attempt, Rotation } from '../model/rotation.ts';
import type { View } from '../steps/step.ts';
import { isUnsettled } from './decide.ts';
import { defaultSettle, type Consumer } from '../cycle/engine-deps.ts';
import { gatewayNow } from '../cycle/gateway-time.ts';
import { plaintextOf, type Cycle } from '../cycle/cycle.ts';
import { declaredSinks, undeclaredPlaces } from '../cycle/known-places.ts';
import { openRotations } from '../model/key-state.ts';

export const seenBy = (cycle: Cycle): Pick<View, 'now' | 'zone' | 'listedAt' | 'settle' | 'orphanOf'> => {
  const { deps } = cycle;
  const lineage = deps.journal.state(deps.account).lineage;
  return {
    now: deps.clock.now(),
    zone: deps.zone,
    listedAt: cycle.listedAt(),
    settle: deps.settle ?? defaultSettle,
    orphanOf: ({ name }: Attempt) =>
      [...cycle.keys().values()].find((key) => key.name === name && !lineage.has(key.id))?.id,
  };
};

/** Another rotation of the account with an undelivered key that a crash would orphan. */
export const unsettledBeside = (cycle: Cycle, rotation: Rotation): Rotation | undefined => {
  const { journal, account } = cycle.deps;
  const seen = seenBy(cycle);
  return openRotations(journal.state(account)).find(
    (other) => other.id !== rotation.id && isUnsettled(other, seen),
  );
};

/** Builds the view of `decide`. `consumerOf` may throw: its error fails only the steps that need the consumer. */
export const viewOf = (cycle: Cycle, rotation: Rotation, consumerOf: () => Consumer | undefined): View => {
  const { deps } = cycle;
  return {
    ...seenBy(cycle),
    gatewayNow: gatewayNow(cycle),
    isListed: (keyId) => cycle.keys().has(keyId),
    isDead: (keyId) => {
      const key = cycle.keys().get(keyId);
      return key !== undefined && deadBy(key, deps.clock.now()) !== undefined;
    },
    nameOf: (keyId) => cycle.keys().get(keyId)?.name,
    unsettledElsewhere: () => unsettledBeside(cycle, rotation)?.service,
    holds: (attempt) => deps.plaintexts.has(plaintextOf(rotation, attempt)),
    get places() {
      return consumerOf()?.sinks.map(({ place, confirmedByPerson }) => ({ place, confirmedByPerson }));
    },
    get reloads() {
      return consumerOf()?.reload !== undefined;
    },
    get undeclaredPlaces() {
      return undeclaredPlaces(cycle.deps, rotation.service, declaredSinks(cycle, rotation, consumerOf));
    },
    isOverlapChecked: (keyId) => cycle.overlapChecked.has(keyId),
    isUseLookedAt: (keyId, to) => cycle.useLookedAt.has(keyId) || (deps.unusedUntil.get(keyId) ?? 0) >= to,
    resting: (keyId) => cycle.resting.get(keyId),
    hasRequested: cycle.made.has(rotation.id),
    requested: cycle.requested,
  };
};
