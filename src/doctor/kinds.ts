import { countText, interval, unixSeconds } from '../core/index.ts';
import type { LearnedView } from './doctor-view.ts';
import type { KindLabel, Warehouse } from '../warehouse/index.ts';

const shownWord = (word: string): string => (word === '' ? 'empty' : word);

const evidenceOf = ({ word, bare, charged, refunds, free }: KindLabel): string =>
  `${shownWord(word)}: ${countText(charged + refunds + free, 'row')} with a charge or tokens, ${bare.toLocaleString('en-US')} without`;

const columnPoint = (column: string, labels: readonly KindLabel[]): LearnedView['points'] => {
  const proven = labels.filter(({ meaning }) => meaning !== undefined);
  if (proven.length === 0) return [];
  return [
    {
      point: `log.kinds_of.${column}`,
      value: proven.map(({ word, meaning }) => `${shownWord(word)} = ${meaning}`).join(', '),
      evidence: proven.map(evidenceOf).join('; '),
      how: 'data',
    },
  ];
};

const everything = interval(unixSeconds(0), unixSeconds(100_000_000_000));

/** The columns that prove the kinds of rows beyond known words, and the number of rows of unknown kind. */
export const kindPoints = async (
  account: string,
  logs: Pick<Warehouse['logs'], 'kindLabels' | 'unclear'>,
): Promise<LearnedView['points']> => {
  const labels = await logs.kindLabels(account);
  const columns = [...new Set(labels.map(({ column }) => column))];
  const unclear = await logs.unclear(account, everything);
  return [
    ...columns.flatMap((column) =>
      columnPoint(
        column,
        labels.filter((one) => one.column === column),
      ),
    ),
    ...(unclear === 0
      ? []
      : [
          {
            point: 'log.unclear_rows',
            value: `open: ${countText(unclear, 'row')} counted as calls may be errors`,
            evidence:
              'they have no charge and no tokens, and no column shows their kind; if one does, set gateway.columns.kind to its name and gateway.kinds to its labels',
            how: 'data' as const,
          },
        ]),
  ];
};
