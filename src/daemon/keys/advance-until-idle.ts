import type { Progress } from '../../core/index.ts';
import { describeStop, type KeyService, type PlannedExpiry, type PlannedRotation } from '../../keys/index.ts';
import type { KeyOutcome, RotationState } from './key-views.ts';
import { stateOf } from './list.ts';

export type KeyOperation = {
  readonly account: string;
  readonly keyService: KeyService;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

const isGood = ({ stage, fault, tries }: RotationState): boolean =>
  fault === undefined && tries === 0 && stage !== 'waiting' && stage !== 'given-up';

export const outcomeOf = ({
  rotations = [],
  changes = [],
  notes = [],
}: Partial<Pick<KeyOutcome, 'rotations' | 'changes' | 'notes'>>): KeyOutcome => ({
  rotations,
  changes,
  notes,
  good: rotations.every(isGood) && changes.every(({ done }) => done),
});

export type StartedRotations = {
  readonly ids: readonly string[];
  readonly notes?: readonly string[];
  readonly isNone?: boolean;
};

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
    return other === undefined
      ? []
      : [`${service} has a rotation in progress (${other.id}): ${other.message}`];
  });
};

export const startRotations = async (
  keyService: KeyService,
  planned: readonly PlannedRotation[],
  who: string,
): Promise<StartedRotations> => {
  if (planned.length === 0) return { ids: [] };
  const ids = await keyService.start(planned, who);
  const notes = ids.length === planned.length ? [] : await notStarted(keyService, planned, ids);
  return { ids, notes, isNone: ids.length === 0 };
};

/** Runs every step that is due, and the steps that follow. */
export const advanceUntilIdle = (
  { keyService, progress, signal }: KeyOperation,
  { ids, notes = [], isNone = false }: StartedRotations,
): Promise<KeyOutcome> =>
  keyService.advance({ ids, signal, progress, retries: true, untilIdle: true }).then((advanced) => {
    const outcome = outcomeOf({ rotations: advanced.map(({ view, fault }) => stateOf(view, fault)), notes });
    // A request that started nothing did not succeed.
    return { ...outcome, good: outcome.good && !isNone };
  });

export const expireNow = async (
  { account, keyService, signal }: Pick<KeyOperation, 'account' | 'keyService' | 'signal'>,
  planned: readonly PlannedExpiry[],
  who: string,
): Promise<KeyOutcome['changes']> => {
  if (planned.length === 0) return [];
  const ended = await keyService.expire(planned, who, signal);
  return ended.map(({ planned: { keyId, name }, done, message }) => ({
    account,
    keyId,
    name,
    done,
    message: message,
  }));
};
