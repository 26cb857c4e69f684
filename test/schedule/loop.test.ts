import { afterEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/index.ts';
import { cronWaker, startSchedule } from '../../src/schedule/index.ts';
import type { RunningSchedule, ScheduledJob, Waker } from '../../src/schedule/index.ts';
import { manualClock } from '../support/manual-clock.ts';

const start = Date.parse('2026-11-21T08:00:30Z');
let schedule: RunningSchedule | undefined;
afterEach(() => schedule?.stop(0));

const house = (jobs: readonly ScheduledJob[]) => {
  const clock = manualClock(start);
  const lines: string[] = [];
  const log = createLog({
    write: (line) => void lines.push(line),
    level: 'info',
    clock,
    redact: (text) => text,
  });
  let wake = (): void => undefined;
  let stopped = 0;
  const waker: Waker = (called) => {
    wake = called;
    return { stop: async () => void (stopped += 1) };
  };
  schedule = startSchedule(jobs, { clock, log, waker });
  const goTo = (text: string) => {
    clock.set(Date.parse(text));
    wake();
  };
  return { clock, lines, goTo, wake: () => wake(), stopped: () => stopped, schedule };
};

const job = (run: ScheduledJob['run']): ScheduledJob => ({
  name: 'pull',
  schedule: '0 * * * *',
  zone: 'UTC',
  run,
});

describe('the plain schedule', () => {
  it('fires once a slot however often it is woken, and not for slots before it began', async () => {
    const slots: string[] = [];
    const house1 = house([job(async (slot) => void slots.push(new Date(slot).toISOString()))]);
    house1.wake();
    house1.goTo('2026-11-21T09:00:00Z');
    house1.wake();
    await Promise.resolve();
    await Promise.resolve();
    house1.goTo('2026-11-21T09:59:59Z');
    house1.goTo('2026-11-21T12:00:05Z');
    expect(slots).toEqual(['2026-11-21T09:00:00.000Z', '2026-11-21T12:00:00.000Z']);
  });

  it('passes a slot over while the run before it has not ended, and says so', async () => {
    let runs = 0;
    let end = (): void => undefined;
    const house1 = house([
      job(() => {
        runs += 1;
        return new Promise((resolve) => {
          end = resolve;
        });
      }),
    ]);
    house1.goTo('2026-11-21T09:00:00Z');
    house1.goTo('2026-11-21T10:00:00Z');
    expect(runs).toBe(1);
    expect(house1.lines.join('')).toContain('a slot is passed over');
    expect(house1.schedule.running()).toEqual(['pull']);
    end();
  });

  it('logs a failed run and goes on', async () => {
    let runs = 0;
    const house1 = house([
      job(async () => {
        runs += 1;
        throw new Error('gateway down');
      }),
    ]);
    house1.goTo('2026-11-21T09:00:00Z');
    await new Promise(setImmediate);
    house1.goTo('2026-11-21T10:00:00Z');
    await new Promise(setImmediate);
    expect(runs).toBe(2);
    expect(house1.lines.filter((line) => line.includes('gateway down'))).toHaveLength(2);
  });

  it('aborts what still runs when it is stopped and the grace is over', async () => {
    let aborted = false;
    const house1 = house([
      job(
        (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              aborted = true;
              resolve();
            });
          }),
      ),
    ]);
    house1.goTo('2026-11-21T09:00:00Z');
    const stopping = house1.schedule.stop(5000);
    await new Promise(setImmediate);
    house1.clock.advance(4999);
    await new Promise(setImmediate);
    expect(aborted).toBe(false);
    house1.clock.advance(1);
    await stopping;
    expect([aborted, house1.stopped(), house1.schedule.running()]).toEqual([true, 1, []]);
  });

  it('is really woken by node-cron', async () => {
    let stop = async (): Promise<void> => undefined;
    await new Promise<void>((resolve) => {
      stop = cronWaker(resolve).stop;
    });
    await stop();
  });

  it('tells of passed slots twice a run at most, and never for what usually overlaps', async () => {
    const ends: (() => void)[] = [];
    const blocked: ScheduledJob['run'] = () => new Promise((resolve) => void ends.push(resolve));
    const house1 = house([
      { ...job(blocked), schedule: '* * * * * *' },
      { ...job(blocked), name: 'outbox', schedule: '* * * * * *', overlap: 'usual' },
    ]);
    for (let second = 31; second < 40; second += 1) house1.goTo(`2026-11-21T08:00:${second}Z`);
    for (const end of ends) end();
    await house1.schedule.stop(0);
    const told = house1.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(told.map(({ job: name, message, slots }) => [name, message, slots])).toEqual([
      ['pull', 'a slot is passed over: the run before it has not ended', undefined],
      ['pull', 'slots were passed over while it ran', 8],
    ]);
  });

  it('goes on when the clock was far ahead and is set right, and fires no slot twice when it was a little ahead', () => {
    const slots: string[] = [];
    const house1 = house([job(async (slot) => void slots.push(new Date(slot).toISOString().slice(0, 13)))]);
    house1.goTo('2026-11-21T09:00:01Z');
    house1.goTo('2026-11-21T08:59:59Z');
    house1.goTo('2026-11-21T09:00:00Z');
    expect(slots).toEqual(['2026-11-21T09']);
    expect(house1.lines).toEqual([]);
  });

  it('does not wait years for a clock that was years ahead', async () => {
    const slots: string[] = [];
    const house1 = house([job(async (slot) => void slots.push(new Date(slot).toISOString().slice(0, 13)))]);
    house1.goTo('2030-01-01T00:00:01Z');
    await Promise.resolve();
    await Promise.resolve();
    house1.goTo('2026-11-21T09:10:00Z');
    expect(house1.lines.join()).toContain('the clock was set back');
    house1.goTo('2026-11-21T10:00:00Z');
    expect(slots).toEqual(['2030-01-01T00', '2026-11-21T10']);
  });

  it('one job that fails at once, even before it begins, stops neither itself nor the others', async () => {
    const fired: string[] = [];
    const house1 = house([
      {
        ...job(() => {
          fired.push('bad');
          throw new Error('not even begun');
        }),
        name: 'bad',
      },
      { ...job(async () => void fired.push('good')), name: 'good' },
    ]);
    house1.goTo('2026-11-21T09:00:00Z');
    await new Promise(setImmediate);
    house1.goTo('2026-11-21T10:00:00Z');
    expect(fired).toEqual(['bad', 'good', 'bad', 'good']);
    expect(house1.lines.join()).toContain('not even begun');
  });
});
