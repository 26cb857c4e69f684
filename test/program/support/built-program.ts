import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { watchOutput } from '../../support/secret-watch.ts';

/** The checkout: the nearest folder above with a lock file, wherever this file was compiled to. */
const checkout = (folder: string): string =>
  existsSync(join(folder, 'package-lock.json')) ? folder : checkout(dirname(folder));
const root = checkout(dirname(fileURLToPath(import.meta.url)));

/** A process of the built program; its output is waited for line by line. */
export type Running = AsyncDisposable & {
  readonly pid: number;
  readonly stdout: () => readonly string[];
  readonly stderr: () => string;
  /** Resolves with the first (or nth, from 1) line of standard output, come or to come, that holds the text or fits; rejects when it ends before. */
  readonly line: (wanted: string | ((line: string) => boolean), nth?: number) => Promise<string>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Resolves with exit code and signal when it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
};

export type BuiltProgram = AsyncDisposable & {
  /** Holds dist/ and what goes beside it. */
  readonly folder: string;
  readonly start: (
    argv: readonly string[],
    options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  ) => Running;
};

/** A process of the program that was built into the folder. */
export const startIn = (
  folder: string,
  argv: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Running => {
  const main = join(folder, 'dist/main.js');
  const child = spawn(process.execPath, [main, ...argv], { cwd, env });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let [rest, errors, isOver] = ['', '', false];
  const notify = (): void => {
    for (const check of waiting) check();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    notify();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = once(child, 'close').then((end) => {
    isOver = true;
    notify();
    if (argv[0] !== 'sandbox')
      watchOutput(`output of ${argv[0] ?? 'the program'}`, [...lines, rest, errors].join('\n'));
    return { code: end[0] as number | null, signal: end[1] as NodeJS.Signals | null };
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => lines,
    stderr: () => errors,
    line: (wanted, nth = 1) =>
      new Promise((resolve, reject) => {
        const fits = typeof wanted === 'string' ? (line: string) => line.includes(wanted) : wanted;
        const check = (): void => {
          const found = lines.filter(fits)[nth - 1];
          if (found === undefined && !isOver) return;
          waiting.delete(check);
          if (found === undefined)
            reject(new Error(`it ended without "${String(wanted)}": ${lines.join('\n')}${errors}`));
          else resolve(found);
        };
        waiting.add(check);
        check();
      }),
    kill: (signal) => void child.kill(signal),
    ended,
    [Symbol.asyncDispose]: async () => {
      if (!isOver) child.kill('SIGKILL');
      await ended;
    },
  };
};

/** Writes dist/ of the folder. */
type Build = (folder: string) => Promise<unknown>;

const run = promisify(execFile);

const bundle: Build = (folder) =>
  run(process.execPath, [join(root, 'scripts/build.mjs'), join(folder, 'dist')]);

const compile: Build = (folder) => {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const project = join(root, 'src/tsconfig.json');
  // Types are checked by themselves.
  const options = ['-p', project, '--outDir', join(folder, 'dist'), '--noCheck'];
  return run(process.execPath, [compiler, ...options]);
};

const buildInto = async (folder: string, build: Build): Promise<void> => {
  await build(folder);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const name of ['config', 'fonts', 'reports', 'templates', 'package.json'])
    await cp(join(root, name), join(folder, name), { recursive: true });
};

const programIn = (folder: string, dispose: () => Promise<void>): BuiltProgram => ({
  folder,
  start: (argv, options) => startIn(folder, argv, options),
  [Symbol.asyncDispose]: dispose,
});

const builder = (name: string, build: Build) => async (): Promise<BuiltProgram> => {
  // The tests of one run share a build, which goes with the run's own folder; outside of a run there is none.
  const common = basename(tmpdir()).startsWith('tollkeeper-tests-') ? join(tmpdir(), name) : undefined;
  const keep = (): Promise<void> => Promise.resolve();
  if (common !== undefined && existsSync(common)) return programIn(common, keep);
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-built-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await buildInto(folder, build);
    if (common === undefined) return programIn(folder, remove);
    // Of two that build at the same time the first one's is taken.
    await rename(folder, common).catch(remove);
    return programIn(common, keep);
  } catch (error) {
    await remove();
    throw error;
  }
};

/** Builds the program into a folder of its own, as it is in the image: dist/, with what it reads and node_modules/ beside it. */
export const buildProgram = builder('built-program', bundle);

/** The program with a file for each module of its sources, `warehouse/index.js` and so on. */
export const compileProgram = builder('compiled-program', compile);
