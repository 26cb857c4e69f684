import { isFault, type Secret } from '../../core/index.ts';
import { callModel, type ModelCallOptions, type ModelDeps, type ModelResult } from './call-model.ts';
import { feed } from './endpoints/music.ts';
import type { z } from 'zod';

type Clips = ModelResult<z.output<typeof feed.answer>>;

/**
 * Songs by their IDs. The separator of several is open (docs/gateway.md G10.4): a comma is tried first, and songs that did
 * not come are requested one by one. @throws what `callModel` throws when nothing comes at all
 */
export const fetchClips = async (
  deps: ModelDeps,
  key: Secret,
  ids: readonly string[],
  options: ModelCallOptions = {},
): Promise<Clips> => {
  const ask = (clipId: string): Promise<Clips> => callModel(deps, feed, key, { clip_id: clipId }, options);
  const [first = ''] = ids;
  if (ids.length <= 1) return ask(first);
  const none: Clips = { value: [], deviations: [], blobs: new Map() };
  let together: Clips;
  try {
    together = await ask(ids.join(','));
  } catch (error) {
    if (
      !isFault(error) ||
      (error.code !== 'model-call-refused' && error.code !== 'gateway-answer-unreadable')
    )
      throw error;
    together = none;
  }
  const come = new Set(together.value.map((clip) => clip?.id));
  const value = [...together.value];
  const deviations = [...together.deviations];
  for (const id of ids.filter((one) => !come.has(one))) {
    const alone = await ask(id);
    value.push(...alone.value);
    deviations.push(...alone.deviations);
  }
  return { value, deviations, blobs: new Map() };
};
