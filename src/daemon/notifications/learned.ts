import { formatSlot } from '../../core/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import type { LearnedChange } from '../../warehouse/index.ts';
import type { Message, MessageDeps } from './message.ts';

/** Without what it is told for, a column is still kept as text. */
const meaningOf = ({ topic, name, detail }: LearnedChange): readonly [string, string, string] => {
  if (topic === 'column-appeared')
    return [
      `New column ${name}`,
      detail === ''
        ? 'It is kept as text with each row, and counted nowhere.'
        : `It is taken for ${detail}, and counted as such.`,
      'Nothing needs to be done; reports show the columns that they know.',
    ];
  if (topic === 'column-gone')
    return [
      `Column ${name} is gone`,
      detail === ''
        ? 'The gateway no longer exports it. What came before is kept.'
        : `The gateway no longer exports what was taken for ${detail}: it is unknown from now on, and not zero.`,
      'Ask the operator of the gateway whether that is meant.',
    ];
  if (topic === 'amounts-changed') {
    const [from = '', how = ''] = detail.split('|');
    const form = name === 'units' ? 'integer units' : 'currency';
    return [
      `Amounts come in ${form} now`,
      `From the window that begins ${from} on, the gateway writes amounts in ${form}, as the charges of the same models show. ${
        how === 'stored'
          ? 'They are stored as they come, as before the earlier change.'
          : 'They are converted to the form of the amounts before, so that sums stay right.'
      }`,
      'Ask the operator of the gateway whether that is meant. To decide it yourself, set gateway.amounts of the account.',
    ];
  }
  if (topic === 'usage-unit') {
    const [from = '', form = ''] = detail.split('|');
    const now = form === 'units' ? 'integer units' : 'a currency';
    return form === 'stored'
      ? [
          `The usage export by ${name} counts as before again`,
          `From ${from} on, its figures are stored as they come.`,
          'Nothing needs to be done.',
        ]
      : [
          `The usage export by ${name} counts in ${now} now`,
          `From ${from} on, its figures are as many times those before as integer units are to a currency. They are converted to the unit of the stored ones.`,
          'Ask the operator of the gateway whether that is meant.',
        ];
  }
  return [
    `Unknown kind of rows ${name}`,
    `${detail}. They are shown by themselves, and counted neither as spend nor as given back.`,
    'Ask the operator of the gateway what these rows are: where they are charges, the spend shown is too small.',
  ];
};

const titleOf = (alert: readonly LearnedChange[], account: string): string => {
  const count = (topic: LearnedChange['topic'], one: string, many: string): readonly string[] => {
    const { length } = alert.filter((each) => each.topic === topic);
    return length === 0 ? [] : [`${length} ${length === 1 ? one : many}`];
  };
  const parts = [
    ...count('column-appeared', 'new column', 'new columns'),
    ...count('column-gone', 'column gone', 'columns gone'),
    ...count('amounts-changed', 'change of amounts', 'changes of amounts'),
    ...count('usage-unit', 'change of the usage export', 'changes of the usage export'),
    ...count('kind-unknown', 'unknown kind of rows', 'unknown kinds of rows'),
  ];
  return `the call log of ${account} has changed: ${parts.join(', ')}`;
};

/** Notifies operators of what is new about a gateway's exports. */
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
      'Pulls go on as before. `tollkeeper doctor` shows all that was learned of the gateway, with the evidence.',
      'Nothing of this is told again.',
    ],
  },
];
