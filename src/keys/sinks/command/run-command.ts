import { spawn, type ChildProcess } from 'node:child_process';
import {
  fault,
  messageOf,
  systemCode,
  type Clock,
  type Secret,
  type SecretRegistry,
} from '../../../core/index.ts';
import { errorText } from '../sink-faults.ts';
import type { CommandRequest } from './settings.ts';

export type CommandDeps = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly secrets: SecretRegistry;
};

export type CommandRun = CommandRequest & {
  /** Additional variables for the program; never a secret. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Written to standard input, which is then closed. */
  readonly input?: Secret | undefined;
};

/** Variables that most programs need to find their files and to encode their output. */
const defaultVariables = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'];

/** Bytes kept of each stream, from its end. */
const kept = 64 * 1024;

const environmentOf = (run: CommandRun, env: CommandDeps['env']): Record<string, string> => {
  const given: Record<string, string> = {};
  for (const name of [...defaultVariables, ...run.env]) {
    const value = env[name];
    if (value !== undefined) given[name] = value;
  }
  return { ...given, ...run.variables };
};

const collecting = (stream: NodeJS.ReadableStream | null): (() => string) => {
  let tail = Buffer.alloc(0);
  stream?.on('data', (piece: Buffer) => {
    tail = Buffer.concat([tail, piece]);
    if (tail.length > 2 * kept) tail = tail.subarray(-kept);
  });
  return () => tail.toString('utf8');
};

/** Kills the whole process group, including the program's children. */
const kill = (child: ChildProcess): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
};

type End = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** Milliseconds to wait for output after the program exits while another process holds its streams. */
const lastOutput = 1000;

const endOf = (child: ChildProcess, clock: Clock): Promise<End> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const limit = clock.limit(lastOutput);
      const end = (): void => {
        limit[Symbol.dispose]();
        resolve({ code, signal });
      };
      child.once('close', end);
      limit.signal.addEventListener('abort', end, { once: true });
    });
  });

const give = (child: ChildProcess, input: Secret | undefined): void => {
  // A program may stop reading early; its exit code decides.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input?.reveal() ?? '');
};

const notStarted = (program: string, error: unknown): Error => {
  const code = systemCode(error);
  const known: Readonly<Record<string, string>> = { ENOENT: 'does not exist', EACCES: 'is not executable' };
  const message = code === undefined ? messageOf(error) : (known[code] ?? code);
  return fault('command-failed', `${program} ${message}`, {
    advice: 'use the absolute path of a program that is installed where Tollkeeper runs',
    retryHelps: false,
  });
};

/**
 * Runs a program without a shell in its own process group and returns its standard output. The environment contains only allowed variables. @throws
 * Fault command-failed when it cannot start, exits with a code other than 0, or times out; the signal's reason
 */
export const runCommand = async (
  run: CommandRun,
  deps: CommandDeps,
  signal: AbortSignal,
): Promise<string> => {
  signal.throwIfAborted();
  const [program = '', ...args] = run.argv;
  const child = spawn(program, args, {
    cwd: deps.cwd,
    env: environmentOf(run, deps.env),
    shell: false,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  using limit = deps.clock.limit(run.timeout);
  const stop = (): void => kill(child);
  signal.addEventListener('abort', stop, { once: true });
  limit.signal.addEventListener('abort', stop, { once: true });
  const [output, errors] = [collecting(child.stdout), collecting(child.stderr)];
  try {
    const ended = endOf(child, deps.clock);
    give(child, run.input);
    const { code, signal: killedBy } = await ended.catch((error: unknown) => {
      throw notStarted(program, error);
    });
    signal.throwIfAborted();
    if (limit.signal.aborted)
      throw fault('command-failed', `${program} timed out after ${run.timeout / 1000} s and was stopped`);
    if (code === 0) return output();
    const how = code === null ? `was killed by ${killedBy ?? 'a signal'}` : `exited with ${code}`;
    const reason = errorText(errors() || output(), deps.secrets);
    throw fault('command-failed', `${program} ${how}${reason === '' ? '' : `: “${reason}”`}`);
  } finally {
    signal.removeEventListener('abort', stop);
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.stdin?.destroy();
  }
};
