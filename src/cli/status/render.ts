import { countText, sizeText } from '../../core/index.ts';
import { byReason, needsPerson, type JobView, type RunView, type StatusView } from '../../daemon/index.ts';
import { lines } from '../ui/lines.ts';
import { commonZone, localMoment, localSlot, timesIn } from '../ui/moment.ts';
import type { Screen } from '../ui/paint.ts';
import { gapLines } from './gaps.ts';
import { rotationLines } from './rotations.ts';
import { stateCell, describeElapsed, describeWait, describeReason } from '../ui/run-messages.ts';
import { tableLines, type Row } from '../ui/table.ts';
import { unknownLines } from '../ui/unknown-alerts.ts';
import { clip, oneLine } from '../ui/text.ts';
import { describeDuration, describeUntil } from '../ui/messages.ts';

type Look = Screen & { readonly now: number; readonly zone: string };

const moment = (at: StatusView['now'], zone: string): string => `${localMoment(at, zone)} ${zone}`;

const daemonLines = ({ daemon, version }: StatusView, look: Look): readonly string[] => {
  if (daemon === undefined)
    return [
      ...lines(`no daemon is running (version ${version})`, 0, look, 'warn'),
      ...lines('`tollkeeper serve` runs jobs on their schedules', 0, look),
    ];
  const since = `since ${moment(daemon.startedAt, look.zone)} (${describeDuration(look.now - daemon.startedAt)})`;
  return [
    ...(daemon.stopping
      ? lines(`daemon stopping, running ${since}`, 0, look, 'warn')
      : lines(`daemon running ${since}`, 0, look, 'good')),
    ...lines(`pid ${daemon.pid}, version ${version}`, 0, look),
    ...(daemon.replica === undefined
      ? []
      : lines(`works as the replica ${daemon.replica} on PostgreSQL, for all accounts`, 0, look)),
  ];
};

const replicaLines = ({ replicas }: StatusView, look: Look): readonly string[] =>
  replicas === undefined || replicas.length === 0
    ? []
    : [
        '',
        ...lines(countText(replicas.length, 'replica'), 0, look),
        ...replicas.flatMap(({ name, state, version, differs }) => [
          ...lines(
            `${name}: ${state}, version ${version}`,
            2,
            look,
            state === 'in doubt' ? 'warn' : undefined,
          ),
          ...(differs.length === 0
            ? []
            : lines(`differs from the one that works in: ${differs.join(', ')}`, 4, look, 'warn')),
        ]),
      ];

const configLines = ({ config }: StatusView, look: Look): readonly string[] => {
  const found = `${countText(config.faults.length, 'fault')} in the config`;
  const kept = `; the one read ${moment(config.loadedAt, look.zone)} remains active`;
  return [
    ...(config.faults.length === 0 ? [] : ['', ...lines(`${found}${kept}`, 0, look, 'bad')]),
    ...config.faults.flatMap(({ file, line, column, message, advice }) => [
      ...lines(`${file}:${line}:${column}: ${message}`, 2, look),
      ...(advice === undefined ? [] : lines(`what to do: ${advice}`, 6, look)),
    ]),
    ...(config.atNextStart.length === 0
      ? []
      : ['', ...lines(`requires a restart: ${config.atNextStart.join(', ')}`, 0, look)]),
  ];
};

const storeLines = ({ storeProblem }: StatusView, look: Look): readonly string[] => {
  if (storeProblem === undefined) return [];
  const { since, message, advice } = storeProblem;
  return [
    '',
    ...lines(`nothing can be stored since ${moment(since, look.zone)}: ${message}`, 0, look, 'bad'),
    ...(advice === undefined ? [] : lines(`what to do: ${advice}`, 2, look)),
  ];
};

const jobNote = (job: JobView, { now, width = 200 }: Look): Row['note'] => {
  const { last, failure, outageSince, missedFirst, zone } = job;
  const why = last === undefined || last.state === 'ok' ? '' : describeReason(last);
  const short = clip(oneLine(why), Math.max(40, width - 4));
  if (outageSince === undefined && failure !== undefined) {
    const { run } = failure;
    const failed = `! ${run.state} ${localMoment(run.attempts.at(-1)?.endedAt ?? run.slot, zone)}`;
    return {
      text: clip(oneLine(`${failed}: ${describeReason(run)}`), Math.max(40, width - 4)),
      style: 'bad',
    };
  }
  if (outageSince === undefined && missedFirst !== undefined)
    return { text: `! never ran; its first slot was ${localMoment(missedFirst, zone)}`, style: 'bad' };
  if (outageSince === undefined) return short === '' ? undefined : { text: short, style: 'quiet' };
  const outage = `! outage since ${localMoment(outageSince, zone)} (${describeDuration(now - outageSince)})`;
  return { text: short === '' ? outage : `${outage}; ${short}`, style: 'bad' };
};

const describeNext = ({ suspend, schedule, next }: JobView, now: number): string => {
  if (suspend) return 'suspended';
  if (next !== undefined) return describeUntil(next, now);
  return schedule === undefined ? 'by hand' : '-';
};

const jobRow = (job: JobView, zone: string | undefined, look: Look): Row => {
  const attempt = job.last?.attempts.at(-1);
  const note = jobNote(job, look);
  return {
    cells: [
      job.job,
      job.last === undefined ? '-' : stateCell(job.last.state),
      job.last === undefined ? '' : localMoment(attempt?.startedAt ?? job.last.slot, job.zone),
      describeElapsed(attempt, look.now),
      describeNext(job, look.now),
      ...(zone === undefined ? [job.zone] : []),
    ],
    note,
    ...(job.failure === undefined ? {} : { below: [`what to do: ${job.failure.advice}`] }),
  };
};

const jobLines = ({ jobs }: StatusView, look: Look): readonly string[] => {
  if (jobs.length === 0) return ['', 'no jobs are configured: add jobs to jobs/*.yaml'];
  const zone = commonZone(jobs);
  return [
    '',
    ...timesIn(zone, look),
    ...tableLines(
      [
        { title: 'JOB' },
        { title: 'STATE' },
        { title: 'LAST RUN' },
        { title: 'TOOK', spare: 2 },
        { title: 'NEXT' },
        ...(zone === undefined ? [{ title: 'ZONE', spare: 1 }] : []),
      ],
      jobs.map((job) => jobRow(job, zone, look)),
      look,
    ),
  ];
};

const openRow = (run: RunView, { now }: Look): Row => {
  const took = describeElapsed(run.attempts.at(-1), now);
  const wait = describeWait(run, now) ?? (run.state === 'running' && took !== '' ? took : undefined);
  return {
    cells: [run.job, localSlot(run.slot, run.zone), stateCell(run.state)],
    note: wait,
  };
};

const openLines = ({ open }: StatusView, look: Look): readonly string[] =>
  open.length === 0
    ? []
    : [
        '',
        ...tableLines(
          [{ title: 'OPEN RUN' }, { title: 'SLOT' }, { title: 'STATE' }],
          open.map((run) => openRow(run, look)),
          look,
        ),
      ];

const mailLines = ({ mail }: StatusView, look: Look): readonly string[] => {
  const parts = [
    ...(mail.waiting === 0 ? [] : [`${mail.waiting} waiting`]),
    ...(mail.failed === 0 ? [] : [`${mail.failed} refused`]),
    ...(mail.unknown === 0 ? [] : [`${mail.unknown} of unknown outcome`]),
    ...(mail.held === 0 ? [] : [`${mail.held} held since a restore`]),
  ];
  const { stuck = [] } = mail;
  return parts.length === 0
    ? []
    : [
        '',
        ...lines(`unsent mails: ${parts.join(', ')}`, 0, look),
        ...stuck.flatMap(({ id, kind, subject, recipient, state, lastError }) =>
          lines(
            `${id} ${state}: ${kind} ${subject} to ${recipient}${lastError === undefined ? '' : `; ${lastError}`}`,
            2,
            look,
          ),
        ),
        ...(stuck.length === 0
          ? []
          : lines(
              'what to do: resend one with `tollkeeper outbox resend ID`, or drop it with `tollkeeper outbox drop ID`; `tollkeeper outbox release` sends those that are held',
              2,
              look,
            )),
      ];
};

const backupLines = ({ data }: StatusView, look: Look): readonly string[] => {
  if (data?.backup === undefined) return [];
  const { taken, restored } = data.backup;
  const proven =
    restored === undefined
      ? 'never restored: a job of kind restore-drill proves it'
      : `restored and equal on ${moment(restored.drilledAt, look.zone)}`;
  return [
    '',
    ...lines(
      `backup of ${moment(taken.takenAt, look.zone)} in ${taken.target}: ${sizeText(taken.bytes)}, of which ${sizeText(taken.newBytes)} were new; ${proven}`,
      0,
      look,
    ),
  ];
};

const alertLines = ({ data }: StatusView, look: Look): readonly string[] => {
  const unknown = data?.unknownAlerts ?? [];
  const accounts = new Set(unknown.map(({ account }) => account)).size > 1;
  return byReason(unknown).flatMap((one) => ['', ...unknownLines(one, accounts, look)]);
};

/** One page; the last line names what needs a person. */
export const renderStatus = (status: StatusView, screen: Screen): string => {
  const look = { ...screen, now: status.now, zone: status.data?.zone ?? commonZone(status.jobs) ?? 'UTC' };
  const needed = needsPerson(status);
  const page = [
    ...daemonLines(status, look),
    ...replicaLines(status, look),
    ...configLines(status, look),
    ...storeLines(status, look),
    ...jobLines(status, look),
    ...openLines(status, look),
    ...gapLines(status, look),
    ...rotationLines(status, look),
    ...alertLines(status, look),
    ...mailLines(status, look),
    ...backupLines(status, look),
    ...(needed.length === 0 ? [] : ['', ...lines(`action required: ${needed.join('; ')}`, 0, look, 'bad')]),
  ];
  return `${page.join('\n')}\n`;
};
