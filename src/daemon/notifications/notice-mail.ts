import { adviceOf, formatSlot } from '../../core/index.ts';
import type { UnixMillis } from '../../core/index.ts';
import type { ConfigFault, Job } from '../../config/index.ts';
import type { Mail } from '../../notify/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import { nextSlot, scheduleOf } from '../../scheduler/index.ts';
import type { Notice } from '../../scheduler/index.ts';
import { fingerprint, operatorMail } from './operator-mail.ts';

export type NoticeDeps = {
  readonly from: string;
  readonly operators: readonly string[];
  readonly jobs: Readonly<Record<string, Job>>;
  /** Zone of times that belong to no job. */
  readonly zone: string;
};

const verbs = {
  failed: 'failed',
  late: 'ran late',
  missed: 'missed a slot',
  recovered: 'runs well again',
} as const;

type Lines = AlertBlock['lines'];

const line = (label: string, message: string | undefined): Lines =>
  message === undefined || message.trim() === '' ? [] : [[label, message]];

const nextOf = (job: Job | undefined, after: UnixMillis): string | undefined => {
  const schedule = job === undefined || job.suspend ? undefined : scheduleOf(job);
  const next = schedule === undefined ? undefined : nextSlot(schedule, after);
  return job === undefined || next === undefined ? undefined : formatSlot(next, job.timezone);
};

/** What runs the slot after all; a run that was late has ended well, and is not run again. */
const againOf = ({ kind, job, slot }: Notice): string | undefined =>
  kind === 'failed' || kind === 'missed'
    ? `\`tollkeeper run ${job} --slot ${new Date(slot).toISOString().replace('.000Z', 'Z')}\` runs this slot after all`
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
    ...line('Why', notice.reason),
    ...line('What to do', adviceOf(notice.code)),
    ...line('Slot', at(notice.slot)),
    ...next,
    ...line('By hand', againOf(notice)),
  ];
};

const toneOf = (kind: Notice['kind']): AlertBlock['tone'] => (kind === 'recovered' ? 'good' : 'bad');

const titleOf = ({ job, kind }: Notice): string => `${job} ${verbs[kind]}`;

const closingOf = (notice: Notice, job: Job | undefined): readonly string[] => {
  const { job: name, kind } = notice;
  const more = `\`tollkeeper runs ${name}\` shows every try, \`tollkeeper status\` how all jobs stand.`;
  if (kind === 'recovered') return [more];
  const then = job?.notify.includes('recovered') === true ? '; then one comes' : '';
  return [more, `No other mail comes about ${name} until it runs well again${then}.`];
};

const closingOfMany = [
  '`tollkeeper status` and `tollkeeper runs JOB` show more.',
  'A job that is down is not told of again until it runs well.',
];

const subjectOf = (notices: readonly Notice[]): string => {
  const count = (kind: Notice['kind'], one: string, many: string): string[] => {
    const { length } = notices.filter((notice) => notice.kind === kind);
    return length === 0 ? [] : [length === 1 ? `1 job ${one}` : `${length} jobs ${many}`];
  };
  return [
    ...count('failed', verbs.failed, 'failed'),
    ...count('missed', verbs.missed, 'missed slots'),
    ...count('late', verbs.late, 'ran late'),
    ...count('recovered', verbs.recovered, 'run well again'),
  ].join(', ');
};

/** The mails that tell notices: what goes to the same people at once is one mail. Nobody to tell: no mail. */
export const noticeMails = (notices: readonly Notice[], deps: NoticeDeps): readonly Mail[] => {
  const groups = new Map<string, { readonly to: readonly string[]; readonly notices: Notice[] }>();
  for (const notice of notices) {
    const to = deps.jobs[notice.job]?.notifyTo ?? deps.operators;
    if (to.length === 0) continue;
    const group = groups.get(to.join()) ?? { to, notices: [] };
    group.notices.push(notice);
    groups.set(to.join(), group);
  }
  return [...groups.values()].map((group) => {
    const told = group.notices.map(({ job, kind, outage }) => [job, kind, outage.slot, outage.openedAt]);
    const [first] = group.notices;
    const only = group.notices.length === 1 ? first : undefined;
    const blocks = group.notices.map((notice) => ({
      ...(only === undefined ? { heading: titleOf(notice) } : {}),
      tone: toneOf(notice.kind),
      lines: linesOf(notice, deps.jobs[notice.job], deps.zone),
    }));
    return operatorMail(
      {
        key: { account: '', kind: 'notice', subject: fingerprint(told) },
        title: only === undefined ? subjectOf(group.notices) : titleOf(only),
        blocks,
        closing: only === undefined ? closingOfMany : closingOf(only, deps.jobs[only.job]),
      },
      deps.from,
      group.to,
    );
  });
};

/** The mail that tells operators of a new config that was not taken up. */
export const configMail = (
  faults: readonly ConfigFault[],
  at: UnixMillis,
  deps: Pick<NoticeDeps, 'from' | 'operators' | 'zone'>,
): Mail | undefined => {
  if (deps.operators.length === 0) return undefined;
  const blocks = faults.map(({ file, line: row, column, message, advice }): AlertBlock => ({
    heading: `${file}:${row}:${column}`,
    tone: 'bad',
    lines: [...line('Fault', message), ...line('What to do', advice)],
  }));
  return operatorMail(
    {
      key: { account: '', kind: 'config', subject: fingerprint([at, faults]) },
      title: `the new config has ${faults.length} fault${faults.length === 1 ? '' : 's'}; the old one stays in force`,
      blocks,
      closing: [
        `Found ${formatSlot(at, deps.zone)}. Jobs run on as before until the config is fixed; it is then taken up by itself.`,
        '`tollkeeper check` reads it again and says whether it is good.',
      ],
    },
    deps.from,
    deps.operators,
  );
};
