import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSecretRegistry, type Clock, type Deps, type OutputStream } from '../../src/core/index.ts';
import { runProgram } from '../../src/cli/program.ts';
import { manualClock } from './manual-clock.ts';
import { exemptIfSecret, watchOutput } from './secret-watch.ts';

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

export type ProgramOptions = {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  readonly systemRoot?: string;
  readonly signal?: AbortSignal;
  /** Columns of the terminal that standard output is; a pipe when left out. */
  readonly terminal?: number;
  /** The terminal for interactive prompts; none if omitted. */
  readonly prompts?: Deps['prompts'];
  readonly streams?: Deps['streams'];
  /** Sees each piece of standard output as it is written. */
  readonly onOutput?: (text: string) => void;
};

export type Folder = AsyncDisposable & {
  readonly path: string;
  /** Writes a file below the folder, with the folders above it. */
  readonly write: (name: string, text: string) => Promise<string>;
  /** All files below it, by their paths from it. */
  readonly files: () => Promise<readonly string[]>;
  /** Runs one command line in the folder, as a user would. */
  readonly run: (argv: readonly string[], options?: ProgramOptions) => Promise<Ran>;
};

/** What one run of the program in a folder works with. */
export const programDeps = (
  path: string,
  stdout: OutputStream,
  stderr: OutputStream,
  options: ProgramOptions = {},
): Deps => ({
  env: options.env ?? {},
  cwd: path,
  systemRoot: options.systemRoot ?? '/',
  clock: options.clock ?? manualClock(),
  random: () => 0,
  secrets: createSecretRegistry(),
  stdout,
  stderr,
  prompts: options.prompts,
  streams: options.streams,
  signal: options.signal ?? new AbortController().signal,
  onHangup: () => ({ [Symbol.dispose]: () => undefined }),
  onUserSignal: () => ({ [Symbol.dispose]: () => undefined }),
});

/** A throw-away folder in which the whole program can be run. */
export const openFolder = async (): Promise<Folder> => {
  const path = await mkdtemp(join(tmpdir(), 'tollkeeper-'));
  return {
    path,
    write: async (name, text) => {
      const file = join(path, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      exemptIfSecret(file, text);
      return file;
    },
    files: async () => {
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
        .sort();
    },
    run: async (argv, options = {}) => {
      const output = { stdout: '', stderr: '' };
      const stream = (name: 'stdout' | 'stderr') => ({
        write: (text: string) => {
          output[name] += text;
          if (name === 'stdout') options.onOutput?.(text);
        },
        isTerminal: name === 'stdout' && options.terminal !== undefined,
        columns: options.terminal ?? 100,
      });
      const code = await runProgram(argv, programDeps(path, stream('stdout'), stream('stderr'), options));
      // The sandbox is of no use unless its Admin Key is shown.
      if (argv[0] !== 'sandbox')
        watchOutput(`output of ${argv[0] ?? 'the program'}`, output.stdout + output.stderr);
      return { code, ...output };
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
};

/** A config of one account and the usual jobs, everything by reference. */
export const defaultConfig = async (folder: Folder, since = '2026-10-22'): Promise<void> => {
  await folder.write(
    'config/tollkeeper.yaml',
    `timezone: UTC
accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}", currency: USD }
warehouse: { path: data/tollkeeper.duckdb, memory_limit: 512MB, threads: 1 }
mail: { smtp: "\${SMTP_URL}", from: "Tollkeeper <reports@example.com>" }
`,
  );
  await folder.write(
    'config/jobs/spend.yaml',
    `jobs:
  pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: ${since} }
  pull-usage: { kind: pull-usage, schedule: "20 1 * * *", since: ${since} }
  weekly-spend:
    kind: report
    schedule: "0 8 * * 1"
    report: spend-summary
    period: last-week
    needs: [pull-logs]
    mail: { to: [finance@example.com, "Ops Team <ops@example.com>"] }
`,
  );
};
