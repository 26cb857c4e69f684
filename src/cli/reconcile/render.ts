import type { ReconcileView } from '../../app/index.ts';
import { toMillis, iso } from '../../core/index.ts';
import { localSlot, timesIn } from '../ui/moment.ts';
import type { Screen, Style } from '../ui/paint.ts';
import { tableLines, type Row } from '../ui/table.ts';
import { lines } from '../ui/lines.ts';
import { clip, oneLine } from '../ui/text.ts';

type Comparison = ReconcileView['comparisons'][number];
type Range = ReconcileView['compared'];

const styles: Readonly<Record<string, Style>> = {
  truncated: 'bad',
  unexplained: 'bad',
  'late data': 'warn',
};

const isSame = (left: Range, right: Range): boolean => left.start === right.start && left.end === right.end;

const rangeText = ({ start, end }: Range, zone: string): string =>
  `${localSlot(toMillis(start), zone)} to ${localSlot(toMillis(end), zone)}`;

const noteOf = (one: Comparison, { compared, zone }: ReconcileView): Pick<Row, 'below'> => {
  const style = styles[one.verdict];
  const below = [
    ...(style === undefined ? [] : [one.text]),
    ...(one.entry !== undefined || isSame(one.range, compared)
      ? []
      : [{ text: rangeText(one.range, zone), style: 'quiet' as const }]),
  ];
  return below.length === 0 ? {} : { below };
};

/** Truncates long names on a terminal, so that the figures fit. */
const nameOf = (entry: string, { width }: Screen): string => {
  const name = entry === '' ? '(no name)' : oneLine(entry);
  return width === undefined ? name : clip(name, Math.floor(width / 4));
};

const rowOf = (one: Comparison, view: ReconcileView, screen: Screen): Row => ({
  cells: [
    one.source,
    one.entry === undefined ? { text: 'total', style: 'title' } : nameOf(one.entry, screen),
    one.ours,
    one.theirs,
    one.gap,
    one.unit,
    { text: one.verdict, style: styles[one.verdict] ?? 'good' },
  ],
  ...noteOf(one, view),
});

export const renderReconcile = (view: ReconcileView, screen: Screen): string => {
  const { asked, compared, zone, comparisons, notCompared, conclusion, good } = view;
  const heading = `${view.account}, ${rangeText(compared, zone)}${
    isSame(asked, compared) ? '' : ' (up to the watermark of the log)'
  }`;
  const table =
    comparisons.length === 0
      ? []
      : tableLines(
          [
            { title: 'SOURCE' },
            { title: 'ENTRY' },
            { title: 'OURS', spare: 2 },
            { title: 'THEIRS', spare: 2 },
            { title: 'GAP' },
            { title: 'UNIT', spare: 3 },
            { title: 'VERDICT' },
          ],
          comparisons.map((one) => rowOf(one, view, screen)),
          screen,
        );
  const missing = notCompared.flatMap(({ source, reason }) =>
    lines(`not compared with ${source}: ${reason}`, 0, screen),
  );
  const end = lines(conclusion, 0, screen, good ? 'good' : 'bad');
  return `${[...timesIn(zone, screen), ...lines(heading, 0, screen), ...table, ...missing, ...end].join('\n')}\n`;
};

const isoRange = ({ start, end }: Range) => ({ start: iso(toMillis(start)), end: iso(toMillis(end)) });

/** Times as ISO 8601 in UTC, amounts as exact decimal text. */
export const reconcileJson = (view: ReconcileView) => ({
  ...view,
  asked: isoRange(view.asked),
  compared: isoRange(view.compared),
  comparisons: view.comparisons.map((one) => ({
    ...one,
    range: isoRange(one.range),
    comparedAt: iso(one.comparedAt),
  })),
});
