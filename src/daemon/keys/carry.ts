import type { Progress } from '../../core/index.ts';
import { describeStop } from '../../keys/index.ts';
import type { KeyService, PlannedExpiry, PlannedRotation } from '../../keys/index.ts';
import type { KeyOutcome, RotationState } from './key-views.ts';
import { stateOf } from './list.ts';

export type Carry = {
  readonly account: string;
  readonly keyService: KeyService;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** A rotation takes fewer calls until none can go on. */
const maxPasses = 50;

const isSame = (left: RotationState, right: RotationState | undefined): boolean =>
  left.stage === right?.stage && left.since === right.since && left.words === right.words;

/** Takes steps until none can be taken now; a rotation that had a fault is left to its next try. */
export const carryOn = async (
  { keyService, progress, signal }: Carry,
  ids: readonly string[],
): Promise<readonly RotationState[]> => {
  const states = new Map<string, RotationState>();
  let left = ids;
  for (let cycle = 0; left.length > 0 && cycle < maxPasses; cycle += 1) {
    signal.throwIfAborted();
    const advanced = await keyService.advance({ ids: left, signal, progress });
    left = advanced.flatMap(({ view, moved, fault }) => {
      const state = stateOf(view, fault);
      // To have looked again, and to have seen the same, is no step.
      const goesOn = moved && fault === undefined && !isSame(state, states.get(view.id));
      states.set(view.id, state);
      if (goesOn) progress({ step: `${view.service}: ${view.stage}`, detail: view.words });
      return goesOn ? [view.id] : [];
    });
  }
  return ids.flatMap((id) => states.get(id) ?? []);
};

const isGood = ({ stage, fault, tries }: RotationState): boolean =>
  fault === undefined && tries === 0 && stage !== 'waiting' && stage !== 'given-up';

export const outcomeOf = (
  rotations: readonly RotationState[],
  changes: KeyOutcome['changes'] = [],
  notes: readonly string[] = [],
): KeyOutcome => ({
  rotations,
  changes,
  notes,
  good: rotations.every(isGood) && changes.every(({ done }) => done),
});

const notStarted = async (
  keyService: KeyService,
  planned: readonly PlannedRotation[],
  ids: readonly string[],
): Promise<readonly string[]> => {
  const [open, outdated] = [await keyService.open(), await keyService.outdated()];
  return planned.flatMap(({ service }) => {
    const stopped = outdated.find((one) => one.service === service);
    if (stopped !== undefined) return [describeStop(stopped)];
    const other = open.find((view) => view.service === service && !ids.includes(view.id));
    return other === undefined ? [] : [`${service} has a rotation under way (${other.id}): ${other.words}`];
  });
};

/** Begins rotations and brings them as far as they can be brought now. */
export const startAndCarry = async (
  carry: Carry,
  planned: readonly PlannedRotation[],
  who: string,
): Promise<KeyOutcome> => {
  const ids = planned.length === 0 ? [] : await carry.keyService.start(planned, who);
  const notes = ids.length === planned.length ? [] : await notStarted(carry.keyService, planned, ids);
  const outcome = outcomeOf(await carryOn(carry, ids), [], notes);
  // An order that began nothing has not done what it was given for.
  return { ...outcome, good: outcome.good && (ids.length > 0 || planned.length === 0) };
};

export const expireNow = async (
  { account, keyService, signal }: Omit<Carry, 'progress'>,
  planned: readonly PlannedExpiry[],
  who: string,
): Promise<KeyOutcome['changes']> => {
  if (planned.length === 0) return [];
  const ended = await keyService.expire(planned, who, signal);
  return ended.map(({ planned: { keyId, name }, done, said }) => ({ account, keyId, name, done, said }));
};
