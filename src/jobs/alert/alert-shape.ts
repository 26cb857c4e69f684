import { z } from 'zod';
import { duration, type KindFault, type RuledJob } from '../../config/index.ts';
import { budgetRule } from './rules/budget/rule.ts';
import { alertRules } from './rules/registry.ts';

export const alertShape = z.strictObject({
  ...budgetRule.settings,
  lag: duration
    .prefault('15m')
    .describe(
      'How far before the slot the call log may end. Must exceed the lag of the pull-logs job. With older data the state of a budget is unknown.',
    ),
  ...Object.fromEntries(alertRules.flatMap(({ settings }) => Object.entries(settings))),
});

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
