import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { fault, unixMillis } from '../../src/core/index.ts';
import { attempt, type Execute } from '../../src/scheduler/attempt.ts';
import type { LedgerRun } from '../../src/storage/index.ts';
import { manualClock } from '../support/manual-clock.ts';
import { jobOf, minute } from './support/scheduler-fixture.ts';

const slot = unixMillis(0);
const run: LedgerRun = {
  job: 'job',
  slot,
  account: 'main',
  trigger: 'schedule',
  version: 1,
  state: 'running',
  interval: { start: slot, end: slot },
  attempts: 1,
  claimedAt: slot,
};

const tried = (execute: Execute, stop = new AbortController(), clock = manualClock(0)) =>
  attempt(
    { job: jobOf('job', { timeout: minute }), run, progress: () => undefined },
    {
      clock,
      execute,
      redact: (text) => text.replaceAll('s3cret', '***'),
      counted: ({ attempts }) => attempts,
      stop: stop.signal,
      interruption: () => ({ error: fault('aborted', 'stopped'), next: 'as retries say' }),
    },
  );

describe('an attempt', () => {
  it('is stopped at its timeout and reports it, whatever the work throws at its end', async () => {
    const clock = manualClock(0);
    const working = tried(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('socket hang up')));
        }),
      new AbortController(),
      clock,
    );
    clock.advance(minute);
    expect((await working).end).toMatchObject({
      state: 'failed',
      code: 'run-timeout',
      nextAttempt: minute + 30_000,
    });
  });

  it('that succeeds despite a stop request has succeeded', async () => {
    const stop = new AbortController();
    const working = tried(async () => {
      stop.abort();
      return { summary: 'all of s3cret', figures: {} };
    }, stop);
    expect((await working).end).toMatchObject({ state: 'ok', summary: 'all of ***' });
  });

  it('gives the reason of a failure without secrets, also when it throws at once', async () => {
    const { end } = await tried(() => {
      throw new Error('s3cret is wrong');
    });
    expect(end).toMatchObject({ state: 'failed', reason: '*** is wrong' });
  });

  it('releases its memory even when the work leaves a listener on its signal', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const kept: WeakRef<object>[] = [];
    for (let count = 0; count < 20; count += 1) {
      await tried(async ({ signal }) => {
        const large = { count };
        kept.push(new WeakRef(large));
        signal.addEventListener('abort', () => void large.count);
        return { summary: 'done', figures: {} };
      });
    }
    await new Promise(setImmediate);
    collect();
    await new Promise(setImmediate);
    collect();
    expect(kept.filter((one) => one.deref() !== undefined).length).toBeLessThan(3);
  });
});
