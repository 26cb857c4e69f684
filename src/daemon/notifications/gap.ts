import { formatMoment, formatSlot, toMillis, type UnixSeconds } from '../../core/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import type { KnownGap } from '../../warehouse/index.ts';
import type { Message, MessageDeps } from './message.ts';

type GapDeps = Pick<MessageDeps, 'zone' | 'jobs'>;

/** UTC, which commands accept in any time zone of the config. */
const written = (millis: number): string => new Date(millis).toISOString().replace('.000Z', 'Z');

const pullAgain = ({ range }: KnownGap, account: string, { jobs }: GapDeps): string | undefined => {
  const pull = Object.values(jobs).find((job) => job.kind === 'pull-logs' && job.account === account);
  return pull === undefined
    ? undefined
    : `\`tollkeeper run ${pull.name} --from ${written(toMillis(range.start))} --to ${written(toMillis(range.end))}\` pulls it again immediately`;
};

const toDo = (gap: KnownGap, account: string, deps: GapDeps): string => {
  const { range, verdict } = gap;
  const [from, to] = [written(toMillis(range.start)), written(toMillis(range.end))];
  const compare = `\`tollkeeper reconcile --from ${from} --to ${to} --account ${account}\``;
  if (verdict !== 'truncated')
    return `${compare} compares every source with the log, by model and key. If the difference remains unexplained, contact the operator of the gateway.`;
  const again = pullAgain(gap, account, deps);
  return `The missing rows were requested again, in smaller windows as well (max_requests), and completed days are pulled again automatically (revisit)${again === undefined ? '' : `; ${again}`}. ${compare} shows what is still missing.`;
};

const titleOf = (gaps: readonly KnownGap[], account: string): string =>
  gaps.some(({ verdict }) => verdict === 'truncated')
    ? `the call log of ${account} is missing charges`
    : `the call log of ${account} does not reconcile`;

export const gapMessages = (
  { account, findings }: { readonly account: string; readonly findings: readonly KnownGap[] },
  deps: GapDeps,
): readonly Message[] => {
  const at = (moment: UnixSeconds): string => formatMoment(moment, deps.zone);
  return [
    {
      account,
      subject: findings.map(({ source, range, gap, notedAt }) => [source, range, gap, notedAt]),
      title: titleOf(findings, account),
      blocks: findings.map((gap): AlertBlock => ({
        heading: `${gap.source}: ${gap.verdict}`,
        tone: 'bad',
        lines: [
          ['Found', gap.text],
          ['Period compared', `${at(gap.range.start)} to ${at(gap.range.end)}`],
          ['What to do', toDo(gap, account, deps)],
          ['First seen', formatSlot(gap.notedAt, deps.zone)],
        ],
      })),
      closing: [
        'The rows that the gateway returned are stored. Reports that cover this period are marked as not reconciled.',
        'No further mail is sent about a source while its difference persists.',
      ],
    },
  ];
};
