import type { JobView, StatusView } from '../../daemon/index.ts';
import { outboxJson } from '../outbox/render.ts';
import { runJson } from '../runs/json.ts';
import { iso, isoOr } from '../ui/json.ts';

const jobJson = (job: JobView) => ({
  ...job,
  next: isoOr(job.next),
  lastGood: isoOr(job.lastGood),
  outageSince: isoOr(job.outageSince),
  missedFirst: isoOr(job.missedFirst),
  failure: job.failure === undefined ? undefined : { ...job.failure, run: runJson(job.failure.run) },
  last: job.last === undefined ? undefined : runJson(job.last),
});

const rangeJson = ({ start, end }: { readonly start: number; readonly end: number }) => ({
  start: iso(start),
  end: iso(end),
});

const dataJson = ({
  accounts,
  reports,
  rotations,
  outdated,
  deadKeys,
  ...data
}: NonNullable<StatusView['data']>) => ({
  ...data,
  accounts: accounts.map((account) => ({
    ...account,
    log: account.log === undefined ? undefined : rangeJson(account.log),
    sources: account.sources.map((source) => ({ ...source, watermark: isoOr(source.watermark) })),
    compared: account.compared.map((one) => ({
      ...one,
      range: rangeJson(one.range),
      comparedAt: iso(one.comparedAt),
    })),
    gaps: account.gaps.map((gap) => ({ ...gap, range: rangeJson(gap.range), notedAt: iso(gap.notedAt) })),
  })),
  reports: {
    ...reports,
    newest: reports.newest.map((report) => ({
      ...report,
      slot: iso(report.slot),
      builtAt: iso(report.builtAt),
    })),
  },
  rotations: rotations?.map((rotation) => ({
    ...rotation,
    since: iso(rotation.since),
    nextTry: isoOr(rotation.nextTry),
  })),
  outdated: outdated?.map((one) => ({ ...one, since: iso(one.since) })),
  deadKeys: deadKeys?.map((one) => ({ ...one, since: iso(one.since) })),
});

export const statusJson = (status: StatusView, needsPerson: readonly string[]) => ({
  ...status,
  now: iso(status.now),
  daemon:
    status.daemon === undefined ? undefined : { ...status.daemon, startedAt: iso(status.daemon.startedAt) },
  config: { ...status.config, loadedAt: iso(status.config.loadedAt) },
  jobs: status.jobs.map(jobJson),
  open: status.open.map(runJson),
  mail: {
    ...status.mail,
    stuck: status.mail.stuck === undefined ? undefined : outboxJson(status.mail.stuck),
  },
  data: status.data === undefined ? undefined : dataJson(status.data),
  needsPerson,
});
