import { z } from 'zod';
import { duration, jobMail, teamName } from '../config/index.ts';
import { readMaxPerRun } from '../keys/index.ts';
import type { Limits } from '../keys/index.ts';

/** `keys` of a job: which keys it is about. */
export const selectionShape = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Name of a key or a service; * stands for anything.'),
    group: z.string().min(1).optional().describe('Their group; default is the one of keys that name none.'),
    older_than: duration.optional().describe('Keys that were made longer ago.'),
    team: teamName.optional().describe('Keys that this team pays for.'),
    status: z.array(z.int()).min(1).optional().describe('What the gateway shows as their status.'),
  })
  .refine((selection) => Object.values(selection).some((value) => value !== undefined), {
    error: 'must say which keys: name, group, older_than, team or status ("*" as name stands for all)',
  })
  .describe('Which keys; all that is given must hold.')
  .transform(({ older_than: olderThan, ...rest }) => ({ ...rest, olderThan }));

/** `limits` of a job. */
export const limitsShape = z
  .strictObject({
    max_per_run: z
      .union([z.int(), z.string()])
      .refine((written) => readMaxPerRun(written) !== undefined, {
        error: 'must be a count such as 5, or a share such as 10%',
      })
      .transform((written) => readMaxPerRun(written) ?? { count: 1 })
      .prefault('10%')
      .describe('How many keys a run may touch: a count, or a share of those it is about, one at least.'),
    min_remaining: z
      .int()
      .min(0)
      .default(0)
      .describe('How many of the keys it is about, those that work, must be left as they are.'),
  })
  .prefault({})
  .describe('What a run may do at most; the rest waits for the next one.')
  .transform(({ max_per_run: maxPerRun, min_remaining: minRemaining }): Limits => ({
    maxPerRun,
    minRemaining,
  }));

export const modeShape = z
  .enum(['plan', 'apply'])
  .default('plan')
  .describe('plan changes nothing and mails what it would do; apply does it.');

export const planMailShape = jobMail
  .optional()
  .describe('Who gets the plan; mail.operators of tollkeeper.yaml when left out.');
