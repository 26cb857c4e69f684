import { describeStop, type KeyService, type PlannedRotation } from '../../../keys/index.ts';

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

/** The ids of the rotations that started, for `advance`; notes say why one was not started. */
export const startRotations = async (
  keyService: KeyService,
  planned: readonly PlannedRotation[],
  who: string,
): Promise<{
  readonly ids: readonly string[];
  readonly notes: readonly string[];
  readonly isNone: boolean;
}> => {
  const ids = planned.length === 0 ? [] : await keyService.start(planned, who);
  const notes = ids.length === planned.length ? [] : await notStarted(keyService, planned, ids);
  return { ids, notes, isNone: ids.length === 0 && planned.length > 0 };
};
