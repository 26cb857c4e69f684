import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildProgram, type BuiltProgram } from '../program/support/built-program.ts';
import { collectEvidence, type Evidence, type JobEvidence } from './support/evidence.ts';
import type { Took } from './support/daemon-run.ts';
import { play, type Played } from './support/play.ts';
import { drawRounds } from './support/rounds.ts';
import { openStormFixture, chaosJobs, type StormFixture } from './support/chaos-fixture.ts';
import { expectWorkOnce, jobOf, settledRuns } from './support/work-once.ts';

const count = Number(process.env['TOLLKEEPER_STORM_ROUNDS'] ?? 60);
const seed = Number(process.env['TOLLKEEPER_STORM_SEED'] ?? Date.now() % 2 ** 31);
vi.setConfig({ hookTimeout: 120_000 + count * 30_000 });

/** What a run may be tried: once, and three times more. */
const maxAttempts = 4;

/** Milliseconds within which a daemon is ready, and within which one that waits takes over. */
const promptly = 5000;

let program: BuiltProgram;
let fixture: StormFixture;
let played: Played;
let evidence: Evidence;

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const longest = (took: readonly Took[], by: keyof Took): number => Math.max(...took.map((one) => one[by]));
const seconds = (took: readonly Took[]): string =>
  `${(longest(took, 'clock') / 1000).toFixed(2)} s at most of ${took.length} (${(longest(took, 'own') / 1000).toFixed(2)} s less waiting for a processor)`;

beforeAll(async () => {
  say(`storm of ${count} rounds, TOLLKEEPER_STORM_SEED=${seed}`);
  program = await buildProgram();
  fixture = await openStormFixture(program);
  played = await play(fixture, drawRounds(seed, count), (done) => {
    if (done % 20 === 0) say(`storm: ${done} rounds of ${count}`);
  });
  evidence = await collectEvidence(fixture, played.lives);
  say(`ready: ${seconds(played.starts)}; taken over: ${seconds(played.takeovers)}`);
  for (const { job, runs, attempts } of evidence.jobs) {
    const states = new Map<string, number>();
    const triedAgain = runs.filter(({ slot }) => (attempts.get(slot)?.length ?? 0) > 1).length;
    for (const { state } of runs) states.set(state, (states.get(state) ?? 0) + 1);
    const reported = [...states].map(([state, number]) => `${number} ${state}`).join(', ');
    say(`${job}: ${runs.length} slots, ${reported}; ${triedAgain} tried again`);
  }
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await program[Symbol.asyncDispose]();
});

const ofJob = (job: string): JobEvidence => jobOf(evidence, job);
const settled = (job: JobEvidence) => settledRuns(job, played.lives);

describe('daemons killed at random moments', () => {
  it('become ready again, and so does a waiting one', () => {
    // A machine that is busy with other things proves nothing.
    expect(longest(played.starts, 'own')).toBeLessThan(promptly);
    expect(played.takeovers.length).toBeGreaterThan(0);
    expect(longest(played.takeovers, 'own')).toBeLessThan(promptly);
    expect(played.stops.filter((code) => code !== 0)).toEqual([]);
    expect(played.lives.map(({ process }) => process.stderr()).filter((text) => text !== '')).toEqual([]);
  });

  expectWorkOnce(() => ({ evidence, lives: played.lives }));

  it('leave interrupted runs that are retried', () => {
    // How many of one job are interrupted depends on chance; of all jobs together, some always are.
    let interrupted = 0;
    const isCounted = ({ code }: { readonly code?: string | undefined }): boolean => code !== 'run-stopped';
    const runs = chaosJobs.flatMap((job) => {
      const found = ofJob(job);
      return settled(found).map((run) => ({ run, own: found.attempts.get(run.slot) ?? [] }));
    });
    for (const { run, own } of runs) {
      for (const [index, one] of own.entries()) {
        if (one.state !== 'interrupted') continue;
        interrupted += 1;
        expect(['process-ended', 'run-stopped', 'aborted']).toContain(one.code);
        // It was begun by a process that was ended, and written off by a later one.
        const life = played.lives.find(
          ({ servedAt = Infinity, diedAt = 0 }) =>
            one.startedAt <= diedAt && one.startedAt >= servedAt - 5000,
        );
        expect(life?.diedAt).toBeGreaterThanOrEqual(one.startedAt);
        const next = own[index + 1];
        const counted = own.slice(0, index + 1).filter(isCounted).length;
        if (isCounted(one) && counted === maxAttempts) expect(next).toBeUndefined();
        else expect(next?.startedAt).toBeGreaterThanOrEqual(one.endedAt ?? Infinity);
      }
      if (run.state === 'interrupted') expect(own.filter(isCounted)).toHaveLength(maxAttempts);
    }
    expect(interrupted).toBeGreaterThan(0);
  });

  it('claim the slots of the catchup policy of the job', () => {
    const allowed: Readonly<Record<string, readonly string[]>> = {
      // A slot on time is skipped when the run before it still waits for its next try.
      'pull-all': ['ok', 'interrupted', 'skipped'],
      'mail-all': ['ok', 'interrupted'],
      'mail-latest': ['ok', 'interrupted', 'skipped', 'missed'],
    };
    for (const job of chaosJobs) {
      const found = ofJob(job);
      const others = settled(found).filter(({ state }) => allowed[job]?.includes(state) !== true);
      expect(others).toEqual([]);
      const passedOver = found.runs.filter(({ state }) => state === 'skipped' || state === 'missed');
      for (const { reason } of passedOver) expect(reason).toMatch(/concurrency is forbid|catchup is latest/);
    }
    expect(ofJob('mail-latest').runs.some(({ state }) => state === 'missed')).toBe(true);
  });

  it('send requests in each successful pull', () => {
    const { runs, attempts } = ofJob('pull-all');
    const moments = fixture.asked
      .filter(({ path }) => path === '/api/log/self/stream-export')
      .map(({ at }) => at);
    // Two runs within one second leave the second nothing to ask for.
    const asking = runs.filter(
      ({ state, summary }) => state === 'ok' && summary?.startsWith('nothing to pull') !== true,
    );
    const idle = asking.filter(({ slot }) => {
      const { startedAt, endedAt = 0 } = attempts.get(slot)?.at(-1) ?? { startedAt: Infinity };
      return !moments.some((at) => at >= startedAt && at <= endedAt);
    });
    expect(asking.length).toBeGreaterThan(0);
    expect(idle).toEqual([]);
  });
});
