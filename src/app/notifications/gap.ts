import { toMillis } from '../../core/index.ts';
import { linesOf } from '../../messages/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import type { KnownGap } from '../../warehouse/index.ts';
import type { Message, MessageDeps } from './message.ts';

type GapDeps = Pick<MessageDeps, 'zone' | 'jobs' | 'locale'>;

/** UTC, which commands accept in any time zone of the config. */
const written = (millis: number): string => new Date(millis).toISOString().replace('.000Z', 'Z');

const isShort = ({ verdict }: KnownGap): boolean => verdict === 'truncated';

const toDo = (gap: KnownGap, account: string, { jobs, locale }: GapDeps): string => {
  const { start, end } = gap.range;
  const range = `--from ${written(toMillis(start))} --to ${written(toMillis(end))}`;
  const compare = `tollkeeper reconcile ${range} --account ${account}`;
  const { short, differs } = locale.outages.gap;
  if (!isShort(gap)) return differs(compare);
  const pull = Object.values(jobs).find((job) => job.kind === 'pull-logs' && job.account === account);
  return short(compare, pull === undefined ? undefined : `tollkeeper run ${pull.name} ${range}`);
};

export const gapMessages = (
  { account, findings }: { readonly account: string; readonly findings: readonly KnownGap[] },
  deps: GapDeps,
): readonly Message[] => {
  const { zone, locale } = deps;
  const { at, gap: texts, period } = locale.outages;
  return [
    {
      account,
      subject: findings.map(({ source, range, gap, notedAt }) => [source, range, gap, notedAt]),
      title: texts.title(account, findings.some(isShort)),
      blocks: findings.map((gap): AlertBlock => ({
        heading: texts.heading(gap),
        tone: 'bad',
        lines: linesOf(
          {
            found: texts.found(gap),
            compared: period(gap.range, zone),
            toDo: toDo(gap, account, deps),
            firstSeen: at(gap.notedAt, zone),
          },
          locale.mails,
        ),
      })),
      closing: texts.closing,
    },
  ];
};
