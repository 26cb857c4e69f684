import type { RunView } from '../../app/index.ts';
import { commonZone, localSlot, timesIn } from '../ui/moment.ts';
import type { Screen } from '../ui/paint.ts';
import { stateCell, describeElapsed, describeWait, describeReason } from '../ui/run-messages.ts';
import { tableLines, type Cell, type Row } from '../ui/table.ts';

const attemptLine = (attempt: RunView['attempts'][number], zone: string, now: number): Cell => {
  const took = describeElapsed(attempt, now);
  const why = describeReason(attempt);
  return {
    text: `attempt ${attempt.attempt}, ${localSlot(attempt.startedAt, zone)}: ${attempt.state}${
      took === '' ? '' : attempt.endedAt === undefined ? `, ${took}` : ` after ${took}`
    }${why === '' ? '' : `: ${why}`}`,
    style: 'quiet',
  };
};

/** `2026-11-01 08:00 to 2026-11-20 08:00 missed`, for one row that covers many slots. */
const describeRange = ({ slot, through, zone, state }: RunView): string | undefined =>
  through === undefined ? undefined : `${localSlot(slot, zone)} to ${localSlot(through, zone)} ${state}`;

const noteOf = (run: RunView, now: number, withAttempts: boolean): string => {
  // When attempts are listed, the last one already shows the reason.
  const isStated = withAttempts && run.attempts.at(-1)?.reason === run.reason && run.reason !== undefined;
  const why = [describeRange(run), isStated ? '' : describeReason(run)]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
  return [why, describeWait(run, now)].filter((part) => part !== undefined && part !== '').join('; ');
};

const rowOf = (run: RunView, zone: string | undefined, now: number, withAttempts: boolean): Row => {
  const isListed = withAttempts && run.attempts.length > 1;
  const note = noteOf(run, now, isListed);
  return {
    cells: [
      localSlot(run.slot, run.zone),
      ...(zone === undefined ? [run.zone] : []),
      run.job,
      run.trigger,
      stateCell(run.state),
      run.attempts.length === 0 ? '-' : String(run.attempts.length),
      describeElapsed(run.attempts.at(-1), now),
    ],
    ...(note === '' ? {} : { note: run.state === 'ok' ? { text: note, style: 'quiet' as const } : note }),
    ...(isListed ? { below: run.attempts.map((attempt) => attemptLine(attempt, run.zone, now)) } : {}),
  };
};

/** Newest first; for one job with every attempt if there were several. */
export const renderRuns = (
  runs: readonly RunView[],
  options: { readonly job?: string | undefined; readonly now: number },
  screen: Screen,
): string => {
  const { job, now } = options;
  if (runs.length === 0) return job === undefined ? 'no run yet\n' : `no run of ${job} yet\n`;
  const zone = commonZone(runs);
  const lines = tableLines(
    [
      { title: 'SLOT' },
      ...(zone === undefined ? [{ title: 'ZONE', spare: 1 }] : []),
      { title: 'JOB' },
      { title: 'TRIGGER', spare: 2 },
      { title: 'STATE' },
      { title: 'TRIES', spare: 4 },
      { title: 'TOOK', spare: 3 },
    ],
    runs.map((run) => rowOf(run, zone, now, job !== undefined)),
    screen,
  );
  return `${[...timesIn(zone, screen), ...lines].join('\n')}\n`;
};
