import type { Progress } from '../../core/index.ts';
import {
  describeStop,
  outcomeOf,
  type KeyOutcome,
  type KeyService,
  type PlannedRotation,
} from '../../keys/index.ts';

export type Run = { readonly progress: Progress; readonly signal: AbortSignal };

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
  keyService: KeyService,
  { ids, ...started }: StartedRotations,
  run: Run,
): Promise<KeyOutcome> =>
  keyService
    .advance({ ids, ...run, retries: true, untilIdle: true })
    .then((advanced) => outcomeOf({ advanced, ...started }));
