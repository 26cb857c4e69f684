import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import type { BuiltProgram } from '../../program/support/built-program.ts';
import { dateBefore, openFixture, type Fixture } from '../../program/support/fixture.ts';
import { writeTick } from './chaos-fixture.ts';
import { startRun, end, linesOf, untilServing } from './daemon-run.ts';
import { wrongSums } from './wrong-sums.ts';

// A run that was interrupted is tried again at once: while it waits, the next slots are skipped.
const often = 'notify: [], retries: { limit: 3, backoff: constant, initial: 0s, max: 1s }';
const eachSecond = `schedule: "* * * * * *", catchup: latest, ${often}`;

/** Jobs that a daemon begins as soon as it serves; a kill falls into some of them. */
const jobs = [
  `pull-logs: { kind: pull-logs, since: ${dateBefore(20)}, ${eachSecond} }`,
  `tick: { kind: report, report: tick, ${eachSecond}, mail: { to: [a@example.com] } }`,
  `alerts: { kind: alert, needs: [pull-logs], ${often} }`,
  `nightly: { kind: backup, to: backups, keep: { daily: 2 }, ${eachSecond} }`,
];

/** What a client asks the daemon for beside its jobs. */
const requests = ['nothing', 'a pull again', 'a backup in a file'] as const;

export type KillRound = {
  readonly request: (typeof requests)[number];
  /** What the daemon has done when the time until its end begins: it serves, or has begun its jobs. */
  readonly after: 'serving' | 'run started';
  /** When the daemon is killed, in thousandths of the longest delay. */
  readonly moment: number;
  /** The first of the days that are pulled again, counted back from today. */
  readonly daysBack: number;
};

/** The same for the same seed. */
export const drawKillRounds = (seed: number, count: number): readonly KillRound[] =>
  fc.sample(
    fc.record({
      request: fc.constantFrom(...requests),
      after: fc.constantFrom('serving' as const, 'run started', 'run started', 'run started'),
      moment: fc.noBias(fc.nat(1000)),
      daysBack: fc.integer({ min: 6, max: 19 }),
    }),
    { seed, numRuns: count },
  );

/** The longest delay of a kill, in milliseconds: the jobs take most of it. */
const longest = 1000;

export type BackupStorm = AsyncDisposable & {
  readonly fixture: Fixture;
  /** Kills a daemon at a moment, and returns the work that it had begun and not ended. */
  readonly kill: (round: KillRound, number: number) => Promise<readonly string[]>;
  /** Everything that is wrong with the database, the sums and the backups; empty when all is as promised. */
  readonly wrongs: () => Promise<readonly string[]>;
};

type Backed = { readonly figures: { readonly backup: string } };
type Listed = { readonly name: string; readonly damage?: string };

/** A data folder, its backups in `backups` and `whole.tar`, and the daemons that write them. */
export const openBackupStorm = async (program: BuiltProgram): Promise<BackupStorm> => {
  const fixture = await openFixture(program, { months: 1, callsPerDay: 1000 });
  const { folder, here } = fixture;
  const data = join(folder.path, 'data');
  await writeTick(folder);
  await fixture.jobs(...jobs);

  const budgetOf = (number: number): string =>
    `scheduler: { suspend_after: 0 }
budgets: { round-${number}: { account: main, amount: "0.0${number + 1}", thresholds: ["100%"], owner: [b@example.com] } }`;
  await fixture.settings(budgetOf(0));
  const succeeds = async (...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await here(...argv);
    if (code !== 0) throw new Error(`${argv.join(' ')} exited with ${code}: ${stdout}${stderr}`);
    return stdout;
  };
  await succeeds('run', 'pull-logs');
  await succeeds('backup', 'backups');
  await succeeds('backup', 'whole.tar');
  // Restores go into a data folder of their own.
  const other = join(folder.path, 'other');
  await folder.write(
    'elsewhere/tollkeeper.yaml',
    `accounts: { main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}" } }
warehouse: { path: other/tollkeeper.duckdb }
`,
  );

  const ask = async ({ request, daysBack }: KillRound): Promise<unknown> => {
    if (request === 'nothing') return undefined;
    if (request === 'a backup in a file') return here('backup', 'whole.tar');
    const [from, to] = [dateBefore(daysBack), dateBefore(daysBack - 5)];
    return here('run', 'pull-logs', '--from', from, '--to', to);
  };

  return {
    fixture,
    kill: async (round, number) => {
      await fixture.settings(budgetOf(number));
      const daemon = startRun(fixture.start('serve'));
      await untilServing(daemon, daemon.spawnedAt);
      let isOpen = round.request !== 'nothing';
      const asked = ask(round).finally(() => {
        isOpen = false;
      });
      await daemon.process.line(`"${round.after}"`);
      await pause((round.moment / 1000) * longest);
      const cut = isOpen ? [round.request] : [];
      await end(daemon, 'SIGKILL');
      await asked;
      const lines = linesOf(daemon);
      const count = (job: string, wanted: string): number =>
        lines.filter(({ message, job: of }) => message === wanted && of === job).length;
      const begun = ['pull-logs', 'tick', 'alerts', 'nightly'].filter(
        (job) => count(job, 'run started') > count(job, 'run succeeded'),
      );
      return [...begun, ...cut];
    },
    wrongs: async () => {
      const wrongs: string[] = [];
      const tried = async (...argv: readonly string[]): Promise<string> => {
        const { code, stdout, stderr } = await here(...argv);
        if (code !== 0) wrongs.push(`${argv.join(' ')} exited with ${code}: ${stdout}${stderr}`);
        return stdout;
      };
      const list = async (): Promise<readonly Listed[]> =>
        JSON.parse(await tried('restore', 'backups', '--list', '--json')) as Listed[];
      for (const { name, damage } of await list()) {
        if (damage !== undefined) wrongs.push(`${name}: ${damage}`);
        await tried('restore', 'backups', '--verify', '--backup', name);
      }
      await tried('restore', 'whole.tar', '--verify');
      await tried('run', 'pull-logs');
      wrongs.push(...(await wrongSums(data, fixture.sandbox)));
      const spooled = await readdir(join(data, 'spool'));
      if (spooled.length > 0) wrongs.push(`the spool holds ${spooled.join(', ')}`);
      const { figures } = JSON.parse(await tried('run', 'nightly', '--json')) as Backed;
      if ((await list()).at(-1)?.name !== figures.backup) wrongs.push('the next backup is not listed');
      await tried('restore', 'backups', '--verify');
      await tried('restore', 'backups', '--config', 'elsewhere');
      wrongs.push(...(await wrongSums(other, fixture.sandbox)));
      await rm(other, { recursive: true, force: true });
      return wrongs;
    },
    [Symbol.asyncDispose]: fixture[Symbol.asyncDispose],
  };
};
