import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { createLog, fault, systemClock } from '../../src/base/index.ts';
import type { Clock } from '../../src/base/index.ts';
import { createRunner } from '../../src/jobs/index.ts';
import type { Job } from '../../src/config/index.ts';
import type { JobContext, JobKind } from '../../src/jobs/index.ts';
import { manualClock } from '../support/manual-clock.ts';
import type { ManualClock } from '../support/manual-clock.ts';

type Play = (context: JobContext) => Promise<void>;
type Written = {
  readonly needs?: readonly string[];
  readonly suspend?: boolean;
  readonly timeout?: number;
  readonly play?: Play;
};

const hour = 3_600_000;

/** Jobs that do what the test says, with a log of what was said and an order of what ran. */
const house = (written: Readonly<Record<string, Written>>, clock: Clock = manualClock()) => {
  const ran: string[] = [];
  const lines: Record<string, unknown>[] = [];
  const log = createLog({
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    level: 'warn',
    clock,
    redact: (text) => text,
  });
  const kind: JobKind = {
    kind: 'play',
    description: '',
    shape: z.object({}),
    run: async (fields, context) => {
      ran.push(context.name);
      await (fields as { play: Play }).play(context);
      return { summary: context.name, figures: {} };
    },
    plan: () => Promise.resolve([]),
  };
  const jobs = Object.fromEntries(
    Object.entries(written).map(([name, { needs = [], suspend = false, timeout = hour, play }]) => [
      name,
      {
        name,
        kind: 'play',
        account: 'main',
        timezone: 'UTC',
        needs,
        suspend,
        timeout,
        fields: { play: play ?? (() => Promise.resolve()) },
        place: { file: 'jobs.yaml', line: 1, column: 1 },
      } as unknown as Job,
    ]),
  );
  const contextOf = ({ name }: { name: string }, signal: AbortSignal) => ({ name, signal }) as JobContext;
  return { runner: createRunner({ jobs, kinds: [kind], contextOf, clock, log }), ran, lines };
};

const never = new AbortController().signal;
/** Works until it is torn away, which the clock does at once. */
const workingTooLong =
  (clock: ManualClock, timeout: number) =>
  ({ signal }: JobContext): Promise<never> => {
    const torn = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('torn away')), { once: true });
    });
    clock.advance(timeout);
    return torn;
  };

describe('jobs that a job needs', () => {
  it('run before it, each once, also when two need the same', async () => {
    const { runner, ran } = house({
      pull: {},
      usage: { needs: ['pull'] },
      report: { needs: ['pull', 'usage'] },
    });
    await runner.run('report', never);
    expect(ran).toEqual(['pull', 'usage', 'report']);
    const twice = house({ pull: {}, one: { needs: ['pull'] }, two: { needs: ['pull'] } });
    await Promise.all([twice.runner.run('one', never), twice.runner.run('two', never)]);
    expect(twice.ran.toSorted()).toEqual(['one', 'pull', 'two']);
  });

  it('a need that fails is told with code and advice, and the job goes on with the data there is', async () => {
    const { runner, ran, lines } = house({
      pull: { play: () => Promise.reject(fault('gateway-unreachable', 'no way there')) },
      report: { needs: ['pull'] },
    });
    await runner.run('report', never);
    expect(ran).toEqual(['pull', 'report']);
    expect(lines).toMatchObject([
      { level: 'warn', job: 'report', need: 'pull', error: 'no way there', code: 'gateway-unreachable' },
    ]);
    expect(lines[0]).toHaveProperty('advice');
  });

  it('a need that is suspended is not run, and it is told; by hand it runs', async () => {
    const { runner, ran, lines } = house({ pull: { suspend: true }, report: { needs: ['pull'] } });
    await runner.run('report', never);
    expect(ran).toEqual(['report']);
    expect(lines).toMatchObject([{ level: 'warn', job: 'report', need: 'pull' }]);
    await runner.run('pull', never);
    expect(ran).toEqual(['report', 'pull']);
  });

  it('a need that takes too long fails by its own timeout, and the job still runs', async () => {
    const clock = manualClock();
    const { runner, ran, lines } = house(
      { pull: { timeout: 1000, play: workingTooLong(clock, 1000) }, report: { needs: ['pull'] } },
      clock,
    );
    await runner.run('report', never);
    expect(ran).toEqual(['pull', 'report']);
    expect(lines).toMatchObject([{ need: 'pull', code: 'run-timeout' }]);
  });

  it('when all is stopped while a need runs, the job does not begin', async () => {
    const stop = new AbortController();
    const reason = fault('aborted', 'stopped');
    const { runner, ran, lines } = house({
      pull: {
        play: (context) => {
          stop.abort(reason);
          return context.signal.aborted ? Promise.reject(new Error('torn away')) : Promise.resolve();
        },
      },
      report: { needs: ['pull'] },
    });
    await expect(runner.run('report', stop.signal)).rejects.toBe(reason);
    expect(ran).toEqual(['pull']);
    expect(lines).toEqual([]);
  });
});

describe('the timeout of a job', () => {
  it('is what is told, whatever the stopped work threw', async () => {
    const clock = manualClock();
    const { runner } = house({ pull: { timeout: 1000, play: workingTooLong(clock, 1000) } }, clock);
    await expect(runner.run('pull', never)).rejects.toMatchObject({ code: 'run-timeout' });
  });

  it('may be longer than a timer holds', async () => {
    const { runner } = house(
      { pull: { timeout: 60 * 24 * hour, play: () => new Promise((resolve) => void setImmediate(resolve)) } },
      systemClock,
    );
    await expect(runner.run('pull', never)).resolves.toMatchObject({ summary: 'pull' });
  });

  it('leaves no listener on the signal of the process, run after run', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    const stop = new AbortController();
    const { runner } = house({ pull: {}, report: { needs: ['pull'] } }, systemClock);
    for (let turn = 0; turn < 50; turn += 1) await runner.run('report', stop.signal);
    await new Promise(setImmediate);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});
