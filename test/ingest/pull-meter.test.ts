import { expect, it } from 'vitest';
import { silentLog, type LogFields, type ProgressStep } from '../../src/core/index.ts';
import { createPullMeter } from '../../src/ingest/pull-meter.ts';
import { manualClock } from '../support/manual-clock.ts';

const meterWith = () => {
  const clock = manualClock();
  const steps: ProgressStep[] = [];
  const lines: LogFields[] = [];
  const log = { ...silentLog, info: (_: string, fields: LogFields = {}) => void lines.push(fields) };
  const meter = createPullMeter('pulling', { clock, log, progress: (step) => void steps.push(step) });
  return { clock, steps, lines, meter };
};

it('the pull meter reports the rate of the last seconds and the time left from the time covered', () => {
  const { clock, steps, meter } = meterWith();
  meter.left(4, 4000);
  meter.at('the first');
  expect(steps.at(-1)).toEqual({
    step: 'pulling',
    done: 0,
    total: 4,
    rows: 0,
    bytes: 0,
    detail: 'the first',
  });
  for (let second = 0; second < 20; second += 1) {
    clock.advance(1000);
    meter.received(1_000_000);
  }
  meter.landed(500, 1000);
  expect(steps.at(-1)).toMatchObject({
    done: 1,
    total: 4,
    rows: 500,
    bytes: 20_000_000,
    bytesPerSecond: 1_000_000,
  });
  // A quarter took 20 s.
  expect(steps.at(-1)?.millisLeft).toBe(60_000);
  for (let second = 0; second < 30; second += 1) {
    clock.advance(1000);
    meter.received(3_000_000);
  }
  expect(steps.at(-1)?.bytesPerSecond).toBe(3_000_000);
  meter.left(0, 0);
  meter.at('the end');
  expect(steps.at(-1)).not.toHaveProperty('millisLeft');
});

it('the pull meter reports at most four times a second, and logs twice a minute with the same figures', () => {
  const { clock, steps, lines, meter } = meterWith();
  meter.left(1, 10);
  meter.at('all');
  for (let piece = 0; piece < 6000; piece += 1) {
    clock.advance(10);
    meter.received(100);
  }
  expect(steps.length).toBeGreaterThan(200);
  expect(steps.length).toBeLessThanOrEqual(241);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatchObject({
    at: 'all',
    windows: '0 of 1',
    bytesSoFar: 600_000,
    bytesPerSecond: 10_000,
  });
});

it('the pull meter omits the rate when the clock stops or goes back', () => {
  const { clock, steps, meter } = meterWith();
  meter.left(2, 20);
  meter.at('one');
  meter.received(5);
  meter.landed(1, 10);
  clock.set(clock.now() - 3_600_000);
  meter.at('two');
  for (const step of steps) {
    expect(step).not.toHaveProperty('millisLeft');
    expect(step).not.toHaveProperty('bytesPerSecond');
  }
});
