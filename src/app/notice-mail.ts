import { createHash } from 'node:crypto';
import { adviceOf, formatMoment, toSeconds } from '../base/index.ts';
import type { UnixMillis } from '../base/index.ts';
import type { ConfigFault, Job } from '../config/index.ts';
import type { Mail } from '../mail/index.ts';
import { renderLetter } from '../report/index.ts';
import type { LetterBlock } from '../report/index.ts';
import type { Notice } from '../schedule/index.ts';

export type NoticeMeans = {
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

const blockOf = (notice: Notice, zone: string): LetterBlock => {
  const at = (moment: UnixMillis): string => formatMoment(toSeconds(moment), zone);
  const advice = adviceOf(notice.code);
  const isGood = notice.kind === 'recovered';
  return {
    heading: `${notice.job} ${verbs[notice.kind]}`,
    tone: isGood ? 'good' : 'bad',
    lines: [
      ['Slot', at(notice.slot)],
      ...(isGood ? [['Since', at(notice.outage.openedAt)] as const] : []),
      [isGood ? 'Last run' : 'Why', notice.reason],
      ...(advice === undefined ? [] : [['What to do', advice] as const]),
    ],
  };
};

const subjectOf = (notices: readonly Notice[]): string => {
  const [first] = notices;
  if (notices.length === 1 && first !== undefined) return `${first.job} ${verbs[first.kind]}`;
  const count = (kind: Notice['kind'], words: string): string[] => {
    const jobs = notices.filter((notice) => notice.kind === kind);
    return jobs.length === 0 ? [] : [`${jobs.length} ${jobs.length === 1 ? 'job' : 'jobs'} ${words}`];
  };
  return [
    ...count('failed', 'failed'),
    ...count('missed', 'missed a slot'),
    ...count('late', 'ran late'),
    ...count('recovered', 'run well again'),
  ].join(', ');
};

/** Long outages of many jobs still make a mail that can be read. */
const mostBlocks = 40;

const mailOf = (
  key: Mail['key'],
  subject: string,
  all: readonly LetterBlock[],
  closing: string,
  means: Pick<NoticeMeans, 'from'>,
  to: readonly string[],
): Mail => {
  const blocks = all.slice(0, mostBlocks);
  const more = all.length > blocks.length ? `… and ${all.length - blocks.length} more. ` : '';
  return {
    key,
    from: means.from,
    to,
    subject: `Tollkeeper: ${subject}`,
    ...renderLetter({
      subject: `Tollkeeper: ${subject}`,
      title: subject,
      blocks,
      closing: `${more}${closing}`,
    }),
  };
};

const fingerprint = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);

const closing =
  '`tollkeeper status` and `tollkeeper runs JOB` show more. One mail comes when an outage begins, one when it is over.';

/** The mails that tell notices: what goes to the same people at once is one mail. Nobody to tell: no mail. */
export const noticeMails = (notices: readonly Notice[], means: NoticeMeans): readonly Mail[] => {
  const groups = new Map<string, { readonly to: readonly string[]; readonly notices: Notice[] }>();
  for (const notice of notices) {
    const to = means.jobs[notice.job]?.notifyTo ?? means.operators;
    if (to.length === 0) continue;
    const group = groups.get(to.join()) ?? { to, notices: [] };
    group.notices.push(notice);
    groups.set(to.join(), group);
  }
  return [...groups.values()].map((group) => {
    const told = group.notices.map(({ job, kind, outage }) => [job, kind, outage.slot, outage.openedAt]);
    return mailOf(
      { account: '', kind: 'notice', subject: fingerprint(told) },
      subjectOf(group.notices),
      group.notices.map((notice) => blockOf(notice, means.jobs[notice.job]?.timezone ?? means.zone)),
      closing,
      means,
      group.to,
    );
  });
};

/** The mail that tells operators of a new config that was not taken up; the same faults are told once. */
export const configMail = (
  faults: readonly ConfigFault[],
  at: UnixMillis,
  means: Pick<NoticeMeans, 'from' | 'operators' | 'zone'>,
): Mail | undefined => {
  if (means.operators.length === 0) return undefined;
  const blocks = faults.map(({ file, line, column, message, advice }): LetterBlock => ({
    heading: `${file}:${line}:${column}`,
    tone: 'bad',
    lines: [['Fault', message], ...(advice === undefined ? [] : [['What to do', advice] as const])],
  }));
  return mailOf(
    { account: '', kind: 'config', subject: fingerprint([at, faults]) },
    `the new config has ${faults.length} fault${faults.length === 1 ? '' : 's'}; the old one stays in force`,
    blocks,
    `Found ${formatMoment(toSeconds(at), means.zone)}. Jobs run on as before until the config is mended.`,
    means,
    means.operators,
  );
};
