import { rm } from 'node:fs/promises';
import { z } from 'zod';
import {
  errorFields,
  isThere,
  jsonText,
  readText,
  unixMillis,
  writeThrough,
  type Log,
} from '../../core/index.ts';
import { createRunLedger, type SharedDatabase, type UnrecordedEnd } from '../../storage/index.ts';
import type { Paths } from '../data-folder/paths.ts';

const fileSchema = z.array(
  z.strictObject({
    job: z.string(),
    slot: z.int().transform(unixMillis),
    attempt: z.int(),
    code: z.enum(['run-stopped', 'lease-lost']),
  }),
);

type Place = Pick<Paths, 'unrecordedEnds'>;

const read = async ({ unrecordedEnds }: Place): Promise<readonly UnrecordedEnd[]> =>
  (await isThere(unrecordedEnds)) ? fileSchema.parse(JSON.parse(await readText(unrecordedEnds))) : [];

/**
 * Stores in the data folder how attempts ended, if a replica has lost the database and cannot record it there. Without this
 * record, another replica treats them as attempts of a killed process and counts them for `suspend_after`.
 */
export const keepUnrecorded = async (
  place: Place,
  ends: readonly UnrecordedEnd[],
  log: Log,
): Promise<void> => {
  if (ends.length === 0) return;
  try {
    await writeThrough(place.unrecordedEnds, jsonText([...(await read(place)), ...ends]));
  } catch (error) {
    log.warn('cannot keep how runs ended; they count as ended with the process', errorFields(error));
  }
};

/** Notes in the database what an earlier process of this data folder has kept, also while another replica works. */
export const noteUnrecorded = async ({ engine }: SharedDatabase, place: Place, log: Log): Promise<void> => {
  const kept = await read(place).catch((error: unknown) => {
    log.warn('cannot read how earlier runs ended', errorFields(error));
    return [];
  });
  if (kept.length > 0) await createRunLedger(engine).noteEnds(kept);
  await rm(place.unrecordedEnds, { force: true });
};
