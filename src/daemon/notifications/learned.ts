import { countText, formatSlot } from '../../core/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import type { LearnedChange } from '../../warehouse/index.ts';
import type { Message, MessageDeps } from './message.ts';

/** A column without a description is still stored as text. */
const meaningOf = ({ topic, name, detail }: LearnedChange): readonly [string, string, string] => {
  if (topic === 'column-appeared')
    return [
      `New column ${name}`,
      detail === ''
        ? 'It is stored as text with each row and is not included in any total.'
        : `It is recognized as ${detail} and counted as such.`,
      'No action is required. Reports show the columns that they define.',
    ];
  if (topic === 'column-gone')
    return [
      `Column ${name} was removed`,
      detail === ''
        ? 'The gateway no longer exports it. Existing values are retained.'
        : `The gateway no longer exports the column recognized as ${detail}. From now on its value is unknown, not zero.`,
      'Ask the operator of the gateway whether this change is intended.',
    ];
  if (topic === 'amounts-changed') {
    const [from = '', how = ''] = detail.split('|');
    const form = name === 'units' ? 'integer units' : 'currency';
    return [
      `Amounts are now in ${form}`,
      `Starting with the window at ${from}, the gateway exports amounts in ${form}, as the charges of the same models show. ${
        how === 'stored'
          ? 'They are stored unconverted, as before the earlier change.'
          : 'They are converted to the form of the earlier amounts so that totals stay correct.'
      }`,
      'Ask the operator of the gateway whether this change is intended. To decide it yourself, set gateway.amounts of the account.',
    ];
  }
  if (topic === 'usage-unit') {
    const [from = '', form = ''] = detail.split('|');
    const now = form === 'units' ? 'integer units' : 'a currency';
    return form === 'stored'
      ? [
          `The usage export by ${name} uses its previous unit again`,
          `From ${from} on, its figures are stored unconverted.`,
          'No action is required.',
        ]
      : [
          `The usage export by ${name} is now in ${now}`,
          `From ${from} on, its figures differ from the earlier ones by the ratio of integer units to currency. They are converted to the unit of the stored figures.`,
          'Ask the operator of the gateway whether this change is intended.',
        ];
  }
  if (topic === 'rollup-differs') {
    const [days = '', first = ''] = detail.split('|');
    return [
      'The rollup differed from the call log',
      `The sums of ${countText(Number(days), 'day')}, the first of them ${first} (${name}), differed from their calls. They were built again from the calls.`,
      'Reports and alerts of these days since the last comparison may have been wrong: build them again with `tollkeeper run`. Find out what changed the database: a copy that was restored in part, a file edited by hand, or a faulty disk.',
    ];
  }
  return [
    `Unknown row kind ${name}`,
    `${detail}. These rows are shown separately and are counted neither as spend nor as refunds.`,
    'Ask the operator of the gateway what these rows mean. If they are charges, the reported spend is too low.',
  ];
};

const titleOf = (alert: readonly LearnedChange[], account: string): string => {
  const count = (topic: LearnedChange['topic'], one: string, many: string): readonly string[] => {
    const { length } = alert.filter((each) => each.topic === topic);
    return length === 0 ? [] : [`${length} ${length === 1 ? one : many}`];
  };
  const parts = [
    ...count('column-appeared', 'new column', 'new columns'),
    ...count('column-gone', 'removed column', 'removed columns'),
    ...count('amounts-changed', 'amount format change', 'amount format changes'),
    ...count('usage-unit', 'usage export change', 'usage export changes'),
    ...count('kind-unknown', 'unknown row kind', 'unknown row kinds'),
    ...count('rollup-differs', 'repair of the rollup', 'repairs of the rollup'),
  ];
  return `the call log of ${account} has changed: ${parts.join(', ')}`;
};

export const learnedMessages = (
  { account, findings }: { readonly account: string; readonly findings: readonly LearnedChange[] },
  { zone }: Pick<MessageDeps, 'zone'>,
): readonly Message[] => [
  {
    account,
    subject: findings.map(({ topic, name, notedAt }) => [topic, name, notedAt]),
    title: titleOf(findings, account),
    blocks: findings.map((each): AlertBlock => {
      const [heading, seen, toDo] = meaningOf(each);
      return {
        heading,
        tone: each.topic === 'column-appeared' ? 'good' : 'bad',
        lines: [
          ['Seen', seen],
          ['What to do', toDo],
          ['First seen', formatSlot(each.notedAt, zone)],
        ],
      };
    }),
    closing: [
      'Pulls continue as before. `tollkeeper doctor` shows everything learned about the gateway, with the evidence.',
      'No further mail is sent about these changes.',
    ],
  },
];
