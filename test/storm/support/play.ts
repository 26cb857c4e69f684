import { setTimeout as sleep } from 'node:timers/promises';
import { startRun, end, stoodInLine, untilServing, type Run, type LogLine, type Took } from './daemon-run.ts';
import type { Round } from './rounds.ts';
import { chaosJobs, type StormFixture } from './chaos-fixture.ts';

/** What the rounds left to be looked at. */
export type Played = {
  readonly lives: readonly Run[];
  /** From spawn to serving, of daemons that did not have to wait. */
  readonly starts: readonly Took[];
  /** From the kill of a daemon to the moment the one that waited served. */
  readonly takeovers: readonly Took[];
  /** Exit codes after SIGTERM. */
  readonly stops: readonly (number | null)[];
};

/** Plays the rounds one after the other, then lets one last daemon catch up and stops it. */
export const play = async (
  fixture: StormFixture,
  rounds: readonly Round[],
  onRound: (done: number) => void,
): Promise<Played> => {
  const lives: Run[] = [];
  const starts: Took[] = [];
  const takeovers: Took[] = [];
  const stops: (number | null)[] = [];
  const spawn = (...more: readonly string[]): Run => {
    const life = startRun(fixture.start('serve', ...more));
    lives.push(life);
    return life;
  };
  const ready = async (life: Run): Promise<void> => {
    if (life.servedAt === undefined) starts.push(await untilServing(life, life.spawnedAt));
  };
  const standBy = async (): Promise<Run> => {
    const life = spawn('--wait');
    await life.process.line('waiting for the other daemon');
    return life;
  };
  /** Gives the daemon of the next round when there is one already. */
  const playRound = async (round: Round, daemon: Run): Promise<Run | undefined> => {
    if (round.kind !== 'kill starting') await ready(daemon);
    await sleep(round.after);
    switch (round.kind) {
      case 'kill':
      case 'kill starting':
        await end(daemon, 'SIGKILL');
        return undefined;
      case 'kill and pause':
        await end(daemon, 'SIGKILL');
        await sleep(round.pause);
        return undefined;
      case 'stop':
        stops.push(await end(daemon, 'SIGTERM'));
        return undefined;
      case 'freeze':
        daemon.process.kill('SIGSTOP');
        await sleep(round.pause);
        daemon.process.kill('SIGCONT');
        await sleep(round.after);
        await end(daemon, 'SIGKILL');
        return undefined;
      case 'kill both': {
        await end(await standBy(), 'SIGKILL');
        await end(daemon, 'SIGKILL');
        return undefined;
      }
      case 'take over': {
        const second = await standBy();
        const inLine = await stoodInLine(second);
        const began = Date.now();
        await end(daemon, 'SIGKILL');
        takeovers.push(await untilServing(second, began, inLine));
        return second;
      }
      default:
        return round satisfies never;
    }
  };
  let next: Run | undefined;
  for (const [index, round] of rounds.entries()) {
    next = await playRound(round, next ?? spawn());
    onRound(index + 1);
  }
  const last = next ?? spawn();
  await ready(last);
  await caughtUp(last, last.servedAt ?? 0, false);
  stops.push(await end(last, 'SIGTERM'));
  return { lives, starts, takeovers, stops };
};

/** Resolves when the daemon has ended a run of each job for a slot after the moment, and all mails of before are sent. */
export const caughtUp = async ({ process }: Run, moment: number, mayFail: boolean): Promise<void> => {
  for (const job of chaosJobs) {
    const line = await process.line((text) => {
      const { message, slot = '', job: of } = JSON.parse(text) as LogLine;
      const isLate = of === job && Date.parse(slot) > moment;
      return (message === 'the run failed' && !mayFail) || (message === 'run succeeded' && isLate);
    });
    if (line.includes('the run failed')) throw new Error(line);
  }
  // A pass of the outbox that was under way has not seen the last mails; the one after it has.
  const isCycle = (line: string): boolean => line.includes('outbox processed');
  await process.line(isCycle, process.stdout().filter(isCycle).length + 2);
};
