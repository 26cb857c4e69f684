import { adviceOf, formatSlot, type UnixMillis } from '../../core/index.ts';
import type { Job } from '../../config/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import { nextSlot, scheduleOf, type Notice } from '../../scheduler/index.ts';
import type { Message, MessageDeps } from './message.ts';

const verbs = {
  failed: 'failed',
  late: 'ran late',
  missed: 'missed a slot',
  suspended: 'is suspended',
  recovered: 'recovered',
} as const;

type Lines = AlertBlock['lines'];

const line = (label: string, message: string | undefined): Lines =>
  message === undefined || message.trim() === '' ? [] : [[label, message]];

const nextOf = (job: Job | undefined, after: UnixMillis): string | undefined => {
  const schedule = job === undefined || job.suspend ? undefined : scheduleOf(job);
  const next = schedule === undefined ? undefined : nextSlot(schedule, after);
  return job === undefined || next === undefined ? undefined : formatSlot(next, job.timezone);
};

/** The command that runs the slot again; a late run has succeeded and needs none. */
const againOf = ({ kind, job, slot }: Notice): string | undefined =>
  kind === 'failed' || kind === 'missed' || kind === 'suspended'
    ? `\`tollkeeper run ${job} --slot ${new Date(slot).toISOString().replace('.000Z', 'Z')}\` runs this slot manually`
    : undefined;

const linesOf = (notice: Notice, job: Job | undefined, defaultZone: string): Lines => {
  const at = (moment: UnixMillis): string => formatSlot(moment, job?.timezone ?? defaultZone);
  const next = line('Next slot', nextOf(job, notice.at));
  if (notice.kind === 'recovered')
    return [
      ...line('Last run', notice.reason),
      ...line('Slot', at(notice.slot)),
      ...line('Down since', at(notice.outage.openedAt)),
      ...next,
    ];
  return [
    ...line('Reason', notice.reason),
    ...line('What to do', adviceOf(notice.code)),
    ...line('Slot', at(notice.slot)),
    ...next,
    ...line('Manual run', againOf(notice)),
  ];
};

const toneOf = (kind: Notice['kind']): AlertBlock['tone'] => (kind === 'recovered' ? 'good' : 'bad');

const titleOf = ({ job, kind }: Notice): string => `${job} ${verbs[kind]}`;

const closingOf = (notice: Notice, job: Job | undefined): readonly string[] => {
  const { job: name, kind } = notice;
  const more = `\`tollkeeper runs ${name}\` shows every attempt; \`tollkeeper status\` shows the status of all jobs.`;
  if (kind === 'recovered') return [more];
  const then = job?.notify.includes('recovered') === true ? ' A mail is sent when it recovers.' : '';
  return [more, `No further mail is sent about ${name} until it recovers.${then}`];
};

const closingOfMany = [
  '`tollkeeper status` and `tollkeeper runs JOB` show details.',
  'No further mail is sent about a failing job until it recovers.',
];

const subjectOf = (notices: readonly Notice[]): string => {
  const count = (kind: Notice['kind'], one: string, many: string): string[] => {
    const { length } = notices.filter((notice) => notice.kind === kind);
    return length === 0 ? [] : [length === 1 ? `1 job ${one}` : `${length} jobs ${many}`];
  };
  return [
    ...count('failed', verbs.failed, 'failed'),
    ...count('suspended', verbs.suspended, 'are suspended'),
    ...count('missed', verbs.missed, 'missed slots'),
    ...count('late', verbs.late, 'ran late'),
    ...count('recovered', verbs.recovered, 'recovered'),
  ].join(', ');
};

/** Combines outages with the same recipients at the same time into one message. */
export const noticeMessages = (notices: readonly Notice[], deps: MessageDeps): readonly Message[] => {
  const groups = new Map<string, { readonly to: readonly string[]; readonly notices: Notice[] }>();
  for (const notice of notices) {
    const to = deps.jobs[notice.job]?.notifyTo ?? deps.operators;
    const group = groups.get(to.join()) ?? { to, notices: [] };
    group.notices.push(notice);
    groups.set(to.join(), group);
  }
  return [...groups.values()].map((group) => {
    const [first] = group.notices;
    const only = group.notices.length === 1 ? first : undefined;
    return {
      account: '',
      subject: group.notices.map(({ job, kind, outage }) => [job, kind, outage.slot, outage.openedAt]),
      topics: group.notices.map(({ job, outage }) => JSON.stringify([job, outage.slot, outage.openedAt])),
      to: group.to,
      ...(group.notices.every(({ job }) => deps.jobs[job]?.notifyTo === undefined)
        ? {}
        : { recipients: 'notify_to' }),
      title: only === undefined ? subjectOf(group.notices) : titleOf(only),
      blocks: group.notices.map((notice) => ({
        ...(only === undefined ? { heading: titleOf(notice) } : {}),
        tone: toneOf(notice.kind),
        lines: linesOf(notice, deps.jobs[notice.job], deps.zone),
      })),
      closing: only === undefined ? closingOfMany : closingOf(only, deps.jobs[only.job]),
    };
  });
};
