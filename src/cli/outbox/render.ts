import { mailTones, type OutboxAnswer, type OutboxView } from '../../app/index.ts';
import { commonZone, localMoment, timesIn } from '../ui/moment.ts';
import type { Screen } from '../ui/paint.ts';
import { tableLines, type Cell, type Row } from '../ui/table.ts';
import { clip, oneLine } from '../ui/text.ts';
import { describeUntil } from '../ui/messages.ts';

const describeNext = ({ next, state, zone }: OutboxView, now: number): string => {
  if (state === 'sending') return 'under way';
  return next === undefined ? '-' : `${localMoment(next, zone)} (${describeUntil(next, now)})`;
};

/** Columns; an address may be as long as three lines. */
const widest = (width: number | undefined): number => Math.max(20, Math.floor((width ?? 320) / 2));

const rowOf = (row: OutboxView, now: number, width: number | undefined): Row => {
  const state: Cell = { text: row.state, style: mailTones[row.state] };
  return {
    cells: [
      row.id,
      state,
      row.kind,
      clip(oneLine(row.recipient), widest(width)),
      row.attempts === 0 ? '-' : String(row.attempts),
      describeNext(row, now),
      localMoment(row.queuedAt, row.zone),
    ],
    note: row.title ?? row.subject,
    ...(row.lastError === undefined ? {} : { below: [{ text: row.lastError, style: 'quiet' }] }),
  };
};

/** Newest first, each with its subject and its last error below. */
export const renderOutbox = (rows: readonly OutboxView[], now: number, screen: Screen): string => {
  if (rows.length === 0) return 'no such mail\n';
  const lines = tableLines(
    [
      { title: 'ID' },
      { title: 'STATE' },
      { title: 'KIND', spare: 2 },
      { title: 'RECIPIENT' },
      { title: 'TRIES', spare: 4 },
      { title: 'NEXT TRY', spare: 1 },
      { title: 'QUEUED', spare: 5 },
    ],
    rows.map((row) => rowOf(row, now, screen.width)),
    screen,
  );
  return `${[...timesIn(commonZone(rows), screen), ...lines].join('\n')}\n`;
};

/** One line per row. */
export const renderOutboxAnswers = (answers: readonly OutboxAnswer[], { paint }: Screen): string =>
  answers
    .map(({ id, done, message }) => `${oneLine(id)}: ${paint(done ? 'plain' : 'bad', oneLine(message))}\n`)
    .join('');
