import { startOfMinute } from '../../core/index.ts';
import { linesOf, type LearnedFinding, type Locale, type WriteFinding } from '../../messages/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import type { LearnedChange } from '../../warehouse/index.ts';
import type { Message, MessageDeps } from './message.ts';

/** Counted in this order. */
const topics = [
  'column-appeared',
  'column-gone',
  'amounts-changed',
  'usage-unit',
  'kind-unknown',
  'rollup-differs',
] as const satisfies readonly LearnedChange['topic'][];

const titleOf = (findings: readonly LearnedChange[], account: string, { list, outages }: Locale): string => {
  const { title, counts } = outages.learned;
  const parts = topics.flatMap((topic) => {
    const { length } = findings.filter((each) => each.topic === topic);
    return length === 0 ? [] : [counts[topic](length)];
  });
  return title(account, list(parts));
};

/** The types cannot tie a topic to its text. */
const findingOf = (change: LearnedChange, { at, learned }: Locale['outages']): LearnedFinding => {
  const write = learned.changes[change.topic] as WriteFinding<LearnedChange>;
  return write(change, (moment) => at(startOfMinute(moment), 'UTC'));
};

export const learnedMessages = (
  { account, findings }: { readonly account: string; readonly findings: readonly LearnedChange[] },
  { zone, locale }: Pick<MessageDeps, 'zone' | 'locale'>,
): readonly Message[] => [
  {
    account,
    subject: findings.map(({ topic, name, notedAt }) => [topic, name, notedAt]),
    title: titleOf(findings, account, locale),
    blocks: findings.map((each): AlertBlock => {
      const { heading, seen, toDo } = findingOf(each, locale.outages);
      const firstSeen = locale.outages.at(each.notedAt, zone);
      return {
        heading,
        tone: each.topic === 'column-appeared' ? 'good' : 'bad',
        lines: linesOf({ seen, toDo, firstSeen }, locale.mails),
      };
    }),
    closing: locale.outages.learned.closing,
  },
];
