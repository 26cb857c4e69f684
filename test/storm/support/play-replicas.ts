import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CuttingProxy } from '../../storage/support/cutting-proxy.ts';
import { configOf, type StormFixture } from './chaos-fixture.ts';
import { caughtUp } from './play.ts';
import { end, linesOf, startRun, type Run } from './daemon-run.ts';

/** What happens to the replica that works, so many milliseconds after it did something. */
export type ReplicaRound = {
  readonly kind: 'kill' | 'freeze' | 'stop' | 'cut' | 'stall' | 'restart of the server';
  readonly after: number;
};

const kinds = ['kill', 'freeze', 'stall', 'restart of the server', 'cut', 'stop'] as const;

/** Every kind once, then at random; the same for the same seed. */
export const drawReplicaRounds = (seed: number, count: number): readonly ReplicaRound[] => {
  const after = fc.integer({ min: 0, max: 3000 });
  const drawn = fc.sample(fc.record({ kind: fc.constantFrom(...kinds), after }), { seed, numRuns: count });
  return drawn.map((round, index) => ({ ...round, kind: kinds[index] ?? round.kind }));
};

export type PlayedReplicas = {
  readonly lives: readonly Run[];
  /** Milliseconds from the end of the replica that worked to the moment another one served. */
  readonly takeovers: readonly { readonly kind: string; readonly millis: number }[];
  /** Exit codes of replicas that were replaced while they lived, and the milliseconds from the end of the pause, or the first silence, to theirs. */
  readonly replaced: readonly { readonly code: number | null; readonly millis: number }[];
  /** Exit codes after SIGTERM. */
  readonly stops: readonly (number | null)[];
};

type Options = {
  readonly fixture: StormFixture;
  /** Between each replica and the server. */
  readonly proxies: readonly CuttingProxy[];
  readonly restartServer: () => Promise<void>;
  readonly onRound: (done: number, round: ReplicaRound, millis: number | undefined) => void;
};

/** Plays the rounds one after the other, beside replicas that stand by, then lets the last one catch up. */
export const playReplicas = async (
  rounds: readonly ReplicaRound[],
  { fixture, proxies, restartServer, onRound }: Options,
): Promise<PlayedReplicas> => {
  const lives: Run[] = [];
  const takeovers: { kind: string; millis: number }[] = [];
  const replaced: { code: number | null; millis: number }[] = [];
  const stops: (number | null)[] = [];
  const start = (nth: number): Run => {
    const life = startRun(fixture.start('serve', '--config', configOf(nth)));
    lives.push(life);
    // It may end before it serves.
    life.process.line('"serving"').then(
      () => void (life.servedAt = Date.now()),
      () => undefined,
    );
    return life;
  };
  const replicas = proxies.map((_, nth) => start(nth));

  /** The replica that serves first of those that may. */
  const serving = async (among: readonly Run[]): Promise<Run> =>
    Promise.any(among.map((life) => life.process.line('"serving"').then(() => life)));
  const workedAfter = async (moment: number, among: readonly Run[]): Promise<void> => {
    await Promise.any(
      among.map((life) =>
        life.process.line((text) => {
          const { message, job, time } = JSON.parse(text) as ReturnType<typeof linesOf>[number];
          return message === 'run succeeded' && job === 'mail-all' && Date.parse(time) > moment;
        }),
      ),
    );
  };

  let working = await serving(replicas);
  await workedAfter(0, [working]);
  for (const [index, round] of rounds.entries()) {
    await sleep(round.after);
    const nth = replicas.indexOf(working);
    const standbys = replicas.filter((life) => life !== working);
    const began = Date.now();
    const takenOver = async (): Promise<number> => {
      const next = await serving(standbys);
      const millis = Date.now() - began;
      takeovers.push({ kind: round.kind, millis });
      working = next;
      return millis;
    };
    /** One that lives on must end, because another one works. */
    const endsItself = async (life: Run, since: number): Promise<void> => {
      const { code } = await life.process.ended;
      life.diedAt ??= Date.now();
      replaced.push({ code, millis: life.diedAt - since });
    };
    const before = working;
    let millis: number | undefined;
    switch (round.kind) {
      case 'kill':
      case 'stop': {
        const code = await end(before, round.kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
        if (round.kind === 'stop') stops.push(code);
        millis = await takenOver();
        break;
      }
      case 'freeze':
        before.process.kill('SIGSTOP');
        millis = await takenOver();
        await workedAfter(began, [working]);
        before.process.kill('SIGCONT');
        await endsItself(before, Date.now());
        break;
      case 'stall':
        proxies[nth]?.stall(true);
        // It may end while the connections are still silent.
        void before.process.ended.then(() => (before.diedAt ??= Date.now()));
        millis = await takenOver();
        await workedAfter(began, [working]);
        proxies[nth]?.stall(false);
        await endsItself(before, began);
        break;
      case 'cut':
        proxies[nth]?.cut();
        await workedAfter(Date.now(), replicas);
        break;
      case 'restart of the server':
        await restartServer();
        await workedAfter(Date.now(), replicas);
        break;
      default:
        round.kind satisfies never;
    }
    // Also one that ended because it could not reach the server in time.
    for (const [place, life] of replicas.entries()) {
      const isOver = await Promise.race([life.process.ended.then(() => true), sleep(0, false)]);
      if (!isOver) continue;
      life.diedAt ??= Date.now();
      replicas[place] = start(place);
    }
    working = await serving(replicas);
    await workedAfter(Date.now(), [working]);
    onRound(index + 1, round, millis);
  }
  for (const life of replicas.filter((one) => one !== working)) stops.push(await end(life, 'SIGTERM'));
  // Runs that failed while the server was away are tried again.
  await caughtUp(working, Date.now(), true);
  stops.push(await end(working, 'SIGTERM'));
  return { lives, takeovers, replaced, stops };
};
