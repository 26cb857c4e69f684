import { iso, isoOr } from '../core/index.ts';
import type { AlertView } from '../monitoring/index.ts';
import { needsPerson } from './needs-person.ts';
import type { PageView } from './page-view.ts';
import type { JobView, OutboxView, RunView, StatusView } from './status-view.ts';

export const runJson = (run: RunView) => ({
  ...run,
  slot: iso(run.slot),
  through: isoOr(run.through),
  interval: { start: iso(run.interval.start), end: iso(run.interval.end) },
  nextAttempt: isoOr(run.nextAttempt),
  attempts: run.attempts.map((attempt) => ({
    ...attempt,
    startedAt: iso(attempt.startedAt),
    endedAt: isoOr(attempt.endedAt),
  })),
});

export const outboxJson = (rows: readonly OutboxView[]) =>
  rows.map((row) => ({
    ...row,
    queuedAt: iso(row.queuedAt),
    changedAt: iso(row.changedAt),
    next: isoOr(row.next),
  }));

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
  backup,
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
  ...(backup === undefined
    ? {}
    : {
        backup: {
          taken: { ...backup.taken, takenAt: iso(backup.taken.takenAt) },
          restored: backup.restored && { ...backup.restored, drilledAt: iso(backup.restored.drilledAt) },
        },
      }),
});

export const statusJson = (status: StatusView, needsPerson: readonly string[]) => ({
  ...status,
  now: iso(status.now),
  daemon:
    status.daemon === undefined ? undefined : { ...status.daemon, startedAt: iso(status.daemon.startedAt) },
  config: { ...status.config, loadedAt: iso(status.config.loadedAt) },
  replicas: status.replicas?.map((replica) => ({ ...replica, seenAt: iso(replica.seenAt) })),
  ...(status.storeProblem === undefined
    ? {}
    : { storeProblem: { ...status.storeProblem, since: iso(status.storeProblem.since) } }),
  jobs: status.jobs.map(jobJson),
  open: status.open.map(runJson),
  mail: {
    ...status.mail,
    stuck: status.mail.stuck === undefined ? undefined : outboxJson(status.mail.stuck),
  },
  data: status.data === undefined ? undefined : dataJson(status.data),
  needsPerson,
});

export const alertsJson = (views: readonly AlertView[]) =>
  views.map(
    ({ account, alert, state, team, texts, zone, status, evaluatedAt, firing, mute, acknowledged }) => ({
      account,
      alert,
      state,
      ...(team === undefined ? {} : { team }),
      texts,
      zone,
      status,
      evaluatedAt: isoOr(evaluatedAt),
      firing: firing.map(({ raisedAt, recoveredAt: _recovered, ...record }) => ({
        ...record,
        raisedAt: iso(raisedAt),
      })),
      ...(mute === undefined
        ? {}
        : { mute: { ...mute, until: iso(mute.until), mutedAt: iso(mute.mutedAt) } }),
      ...(acknowledged === undefined ? {} : { acknowledged: { ...acknowledged, at: iso(acknowledged.at) } }),
    }),
  );

/** What the page shows, as `status --json` writes it: times in ISO 8601, amounts as decimal text. */
export const pageJson = ({ status, team, spend, alerts, history, keys, nextMails, mails }: PageView) => ({
  ...statusJson(status, needsPerson(status)),
  team,
  spend: spend.map(({ through, lastMonthThrough, ...one }) => ({
    ...one,
    through: isoOr(through),
    lastMonthThrough: isoOr(lastMonthThrough),
  })),
  alerts: alertsJson(alerts),
  history,
  keys: {
    readAt: isoOr(keys.readAt),
    keys: keys.keys.map(({ created, expires, ...key }) => ({
      ...key,
      created: isoOr(created),
      expires: isoOr(expires),
    })),
  },
  nextMails: nextMails.map(({ at, ...mail }) => ({ ...mail, at: iso(at) })),
  mails: { stuck: outboxJson(mails.stuck), waiting: outboxJson(mails.waiting) },
});
