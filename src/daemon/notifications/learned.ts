import { readMoment } from '../../core/index.ts';
import { linesOf, type Locale } from '../../messages/index.ts';
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

const changeOf = ({ topic, name, detail }: LearnedChange, { at, learned }: Locale['outages']) => {
  const [first = '', second = ''] = detail.split('|');
  // The start of a window is stored as text in UTC.
  const moment = first.endsWith(' UTC') ? readMoment(first.slice(0, -' UTC'.length), 'UTC') : undefined;
  return learned.changes[topic](name, moment === undefined ? first : at(moment, 'UTC'), second);
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
      const { heading, seen, toDo } = changeOf(each, locale.outages);
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
