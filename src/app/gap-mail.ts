import { formatMoment, formatSlot, toMillis, unixMillis } from '../base/index.ts';
import type { UnixSeconds } from '../base/index.ts';
import type { Job } from '../config/index.ts';
import type { Mail } from '../mail/index.ts';
import type { LetterBlock } from '../report/index.ts';
import { nextSlot, scheduleOf } from '../schedule/index.ts';
import type { KnownGap } from '../warehouse/index.ts';
import type { NoticeMeans } from './notice-mail.ts';
import { fingerprint, operatorMail } from './operator-mail.ts';

type GapMeans = Pick<NoticeMeans, 'from' | 'operators' | 'zone'> & {
  readonly jobs: Readonly<Record<string, Job>>;
};

/** As commands take it, whatever the zone of the config. */
const written = (millis: number): string => new Date(millis).toISOString().replace('.000Z', 'Z');

/** The runs that pull the span again: a slot's run is about the time before it. */
const pullAgain = ({ span }: KnownGap, account: string, { jobs }: GapMeans): string | undefined => {
  const pull = Object.values(jobs).find((job) => job.kind === 'pull-logs' && job.account === account);
  const schedule = pull === undefined ? undefined : scheduleOf(pull);
  if (pull === undefined || schedule === undefined) return undefined;
  const first = nextSlot(schedule, toMillis(span.start));
  const last = nextSlot(schedule, unixMillis(toMillis(span.end) - 1));
  return first === undefined || last === undefined
    ? undefined
    : `\`tollkeeper run ${pull.name} --from ${written(first)} --to ${written(last + 1000)}\` pulls it again now`;
};

const toDo = (gap: KnownGap, account: string, means: GapMeans): string => {
  const { span, verdict } = gap;
  const [from, to] = [written(toMillis(span.start)), written(toMillis(span.end))];
  const compare = `\`tollkeeper reconcile --from ${from} --to ${to} --account ${account}\``;
  if (verdict !== 'truncated')
    return `${compare} shows every source beside the log, by model and key; what it can't explain, the operator of the gateway has to.`;
  const again = pullAgain(gap, account, means);
  return `What is missing was requested again, in smaller windows too (max_requests), and a day that is over is pulled again by itself (revisit)${again === undefined ? '' : `; ${again}`}. ${compare} shows what is still missing.`;
};

const titleOf = (gaps: readonly KnownGap[], account: string): string =>
  gaps.some(({ verdict }) => verdict === 'truncated')
    ? `the call log of ${account} lacks charge`
    : `the call log of ${account} does not add up`;

/** The mail that tells operators of gaps between the call log and other sources; nothing where there is nobody to tell. */
export const gapMail = (gaps: readonly KnownGap[], account: string, means: GapMeans): Mail | undefined => {
  if (gaps.length === 0 || means.operators.length === 0) return undefined;
  const at = (moment: UnixSeconds): string => formatMoment(moment, means.zone);
  const blocks = gaps.map((gap): LetterBlock => ({
    heading: `${gap.source}: ${gap.verdict}`,
    tone: 'bad',
    lines: [
      ['Found', gap.text],
      ['Time compared', `${at(gap.span.start)} to ${at(gap.span.end)}`],
      ['What to do', toDo(gap, account, means)],
      ['First seen', formatSlot(gap.notedAt, means.zone)],
    ],
  }));
  const told = gaps.map(({ source, span, gap, notedAt }) => [source, span, gap, notedAt]);
  return operatorMail(
    {
      key: { account, kind: 'gap', subject: fingerprint(told) },
      title: titleOf(gaps, account),
      blocks,
      closing: [
        'What the gateway gave has landed, and reports over that time say that they are not reconciled.',
        'While a source goes on disagreeing, no other mail comes about it.',
      ],
    },
    means.from,
    means.operators,
  );
};
