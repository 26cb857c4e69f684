import type { ConfigFault } from '../load/config-fault.ts';
import type { DeclaredJob } from '../load/read-jobs.ts';
import type { Declared } from './rules.ts';
import { keysOf, valueAt } from '../schema/schema-walk.ts';

const hasUnknownKey = (job: DeclaredJob): boolean =>
  Object.keys(job.part.resolved ?? {}).some((key) => !keysOf(job.shape).includes(key));

/** A report needs recipients, and one per team needs teams, and a recipient for unassigned spend. */
export const reportFaults = (job: DeclaredJob, declared: Declared): ConfigFault[] => {
  const given = (key: string): unknown => valueAt(job.part.resolved, [key]);
  if (given('kind') !== 'report' || job.shape === undefined) return [];
  const at = (key: string | undefined, message: string, advice: string): ConfigFault => ({
    file: job.part.source.file,
    ...job.part.source.atKey(key === undefined ? job.part.path : [...job.part.path, key]),
    message: `job ${job.name} ${message}`,
    advice,
  });
  const isSent = given('mail') !== undefined || given('post') !== undefined;
  const to = valueAt(job.part.resolved, ['mail', 'to']);
  const isByTag =
    Array.isArray(to) && to.some((text) => typeof text === 'string' && text.startsWith('each_'));
  const hasRemainder =
    valueAt(job.part.resolved, ['mail', 'remainder']) !== undefined || given('post') !== undefined;
  if (isByTag && !hasRemainder && declared.hasOperators === false)
    return [
      at(
        'mail',
        'has no recipients for the keys of no owner or cost center with an address',
        'add remainder: [you@example.com] to its mail, or mail.operators to tollkeeper.yaml',
      ),
    ];
  if (given('each_team') !== true)
    // An unknown key of the job may be a misspelt key for the recipients.
    return isSent || hasUnknownKey(job)
      ? []
      : [
          at(
            undefined,
            'has no recipients for its report',
            'add mail: { to: [you@example.com] } or post: { to: [a route] }',
          ),
        ];
  return [
    ...(given('team') === undefined
      ? []
      : [at('team', 'sets both team and each_team', 'remove team, or each_team')]),
    ...(declared.teams?.names.length === 0
      ? [
          at(
            'each_team',
            'reports to each team, but no team is configured',
            'add teams to tollkeeper.yaml: growth: { keys: ["growth-*"], mail: [growth@example.com] }',
          ),
        ]
      : []),
    ...(declared.hasMail === false && !isSent
      ? [
          at(
            'each_team',
            'sends mail, but tollkeeper.yaml has no mail server',
            'add mail: { smtp: "${SMTP_URL}", from: you@example.com } to tollkeeper.yaml',
          ),
        ]
      : []),
    ...(declared.hasMail === true && declared.hasOperators === false && !isSent
      ? [
          at(
            'each_team',
            'has no recipients for unassigned spend',
            'add mail.operators to tollkeeper.yaml, or mail: { to: […] } to the job',
          ),
        ]
      : []),
  ];
};
