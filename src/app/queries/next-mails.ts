import type { Config } from '../../config/index.ts';
import { jobKinds, type ScheduledMail } from '../../jobs/index.ts';
import type { JobView, NextMailView } from '../../web/index.ts';
import { costOwnersOf } from '../accounts/cost-owners.ts';

/** Keeps the page readable. */
const most = 20;

/** The mails that a run of the job sends; none for kinds that mail only on occasion. */
export const mailsOfJob = (
  { jobs, settings }: Pick<Config, 'jobs' | 'settings'>,
  name: string,
): readonly ScheduledMail[] => {
  const job = jobs[name];
  const mails = job === undefined ? undefined : jobKinds.find(({ kind }) => kind === job.kind)?.mails;
  if (job === undefined || mails === undefined) return [];
  return mails(job.fields, { name, costOwners: costOwnersOf(settings, job.account) });
};

/** The mails of the next scheduled runs, soonest first, of all or of one team. */
export const nextMails = (
  config: Pick<Config, 'jobs' | 'settings'>,
  jobs: readonly Pick<JobView, 'job' | 'next' | 'zone'>[],
  team: string | undefined,
): readonly NextMailView[] =>
  jobs
    .flatMap(({ job, next, zone }): readonly NextMailView[] =>
      next === undefined
        ? []
        : mailsOfJob(config, job)
            .filter((mail) => mail.to.length > 0 && (team === undefined || mail.team === team))
            .map(({ team: of, to }) => ({ job, at: next, zone, to, ...(of == null ? {} : { team: of }) })),
    )
    .toSorted((left, right) => left.at - right.at || left.job.localeCompare(right.job))
    .slice(0, most);
