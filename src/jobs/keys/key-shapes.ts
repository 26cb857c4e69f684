import { z } from 'zod';
import { duration, jobMail, teamName } from '../../config/index.ts';
import { readMaxPerRun, type Limits } from '../../keys/index.ts';

export const selectionShape = z
  .strictObject({
    name: z.string().min(1).max(200).optional().describe('Name of a key or service; * matches any text.'),
    group: z
      .string()
      .min(1)
      .optional()
      .describe('Group of the keys; default is the group of keys without one.'),
    older_than: duration.optional().describe('Keys created longer ago than this.'),
    team: teamName.optional().describe('Keys whose cost owner is this team.'),
    status: z
      .array(z.int())
      .min(1)
      .optional()
      .describe('Status codes of the keys, as the gateway shows them.'),
  })
  .refine((selection) => Object.values(selection).some((value) => value !== undefined), {
    error: 'must select keys by name, group, older_than, team or status (name: "*" selects all)',
  })
  .describe('Which keys the job applies to. All conditions that are set must match.')
  .transform(({ older_than: olderThan, ...rest }) => ({ ...rest, olderThan }));

export const limitsShape = z
  .strictObject({
    max_per_run: z
      .union([z.int(), z.string()])
      .refine((written) => readMaxPerRun(written) !== undefined, {
        error: 'must be a count such as 5, or a share such as 10%',
      })
      .transform((written) => readMaxPerRun(written) ?? { count: 1 })
      .prefault('10%')
      .describe(
        'Maximum number of keys that a run changes: a count, or a share of the selected keys, at least one.',
      ),
    min_remaining: z
      .int()
      .min(0)
      .default(0)
      .describe('Minimum number of working keys among the selected ones that a run leaves unchanged.'),
  })
  .prefault({})
  .describe('Limits on what one run changes; the rest is left to the next run.')
  .transform(({ max_per_run: maxPerRun, min_remaining: minRemaining }): Limits => ({
    maxPerRun,
    minRemaining,
  }));

export const modeShape = z
  .enum(['plan', 'apply'])
  .default('plan')
  .describe('plan changes nothing and mails the plan; apply carries it out.');

export const planMailShape = jobMail
  .optional()
  .describe('Recipients of the plan. Defaults to mail.operators in tollkeeper.yaml.');
