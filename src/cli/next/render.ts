import { iso } from '../../core/index.ts';
import type { NextSlot } from '../../app/index.ts';
import { commonZone, localSlot, timesIn } from '../ui/moment.ts';
import type { Screen } from '../ui/paint.ts';
import { tableLines } from '../ui/table.ts';
import { describeUntil } from '../ui/messages.ts';

/** Future slots by time. `now` in milliseconds UTC. */
export const renderNext = (slots: readonly NextSlot[], now: number, screen: Screen): string => {
  if (slots.length === 0) return 'no next slot: the job has no schedule or is suspended\n';
  const zone = commonZone(slots);
  const lines = tableLines(
    [
      { title: 'SLOT' },
      ...(zone === undefined ? [{ title: 'ZONE', spare: 1 }] : []),
      { title: 'DUE' },
      { title: 'JOB' },
    ],
    slots.map((next) => ({
      cells: [
        localSlot(next.slot, next.zone),
        ...(zone === undefined ? [next.zone] : []),
        describeUntil(next.slot, now),
        next.job,
      ],
    })),
    screen,
  );
  return `${[...timesIn(zone, screen), ...lines].join('\n')}\n`;
};

export const nextJson = (slots: readonly NextSlot[]) =>
  slots.map((next) => ({ ...next, slot: iso(next.slot) }));
