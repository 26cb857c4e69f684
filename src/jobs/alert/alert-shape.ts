import { z } from 'zod';
import { duration, name, positiveDuration, type KindFault, type RuledJob } from '../../config/index.ts';

const days = (usual: readonly number[]) =>
  z
    .array(z.int().min(1).max(3650))
    .max(10)
    .prefault([...usual]);

export const alertShape = z.strictObject({
  budgets: z
    .array(name)
    .min(1)
    .optional()
    .describe(
      'Names of the budgets to evaluate. Defaults to all budgets of the account. The budget of an account is named account-NAME, that of a team team-NAME.',
    ),
  lag: duration
    .prefault('15m')
    .describe(
      'How far before the slot the call log may end. Must exceed the lag of the pull-logs job. With older data the state of a budget is unknown.',
    ),
  unknown_after: positiveDuration
    .prefault('6h')
    .describe('How long the state of a budget may be unknown before operators are notified.'),
  runway_days: days([14, 7, 3]).describe(
    'Alerts when the balance of the account lasts for at most so many days at the current pace. [] disables it. Needs a job of kind snapshot.',
  ),
  key_days: days([7, 2]).describe(
    'Alerts when the quota of an API key lasts for at most so many days at the current pace. [] disables it. Needs a job of kind snapshot.',
  ),
});

export type AlertSettings = z.output<typeof alertShape>;

const lagOf = ({ fields }: RuledJob): number => {
  const lag = fields?.['lag'];
  return typeof lag === 'number' ? lag : 0;
};

/** A job must pull the data, and with a lag that lets it reach the evaluated time. */
export const alertJobFaults = (job: RuledJob, all: readonly RuledJob[]): readonly KindFault[] => {
  const pulls = all.filter((one) => one.kind === 'pull-logs' && one.account === job.account);
  const [pull] = pulls;
  if (pull === undefined)
    return [
      {
        path: [],
        message: `evaluates budgets, but no job pulls the call log of the account ${job.account}`,
        advice: 'add a job of kind pull-logs to a file in jobs/',
        ofAbsence: true,
      },
    ];
  const needs = job.fields?.['needs'];
  const needed = pulls.filter(({ name: pullName }) => Array.isArray(needs) && needs.includes(pullName));
  if (needed.length === 0)
    return [
      {
        path: [],
        message: 'does not wait for the call log, so its data is always older than its slot',
        advice: `add needs: [${pull.name}]; without a schedule the job then runs after each pull`,
      },
    ];
  return needed.flatMap((one): readonly KindFault[] =>
    lagOf(one) < lagOf(job)
      ? []
      : [
          {
            path: ['lag'],
            onKey: true,
            message: `is not longer than the lag of ${one.name}, so the data never reaches the evaluated time`,
            advice: `write a lag that is longer than that of ${one.name}`,
          },
        ],
  );
};
