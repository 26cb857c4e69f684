import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from './clock.ts';
import type { SecretRegistry } from './secrets.ts';

export type OutputStream = {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  /** Width in characters. */
  readonly columns: number;
};

/** Standard input and output as streams. */
export type Streams = { readonly input: Readable; readonly output: Writable };

/** What the program receives from its process; tests pass their own. */
export type Deps = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths start here. */
  readonly cwd: string;
  /** Holds `proc` and `sys`, where the memory limit is read: `/`. */
  readonly systemRoot: string;
  readonly clock: Clock;
  /** 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  readonly secrets: SecretRegistry;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Of the process, for what speaks a protocol over them. */
  readonly streams?: Streams | undefined;
  /** The terminal for interactive prompts; omitted if there is none. */
  readonly prompts?: Streams | undefined;
  /** How the program was started: its path as given to the shell, and `exec` under `npx`. On the path if omitted. */
  readonly invocation?: { readonly script: string; readonly npmCommand?: string | undefined };
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Called on each SIGHUP until it is disposed; without a listener the signal ends the process as usual. */
  readonly onHangup: (listener: () => void) => Disposable;
  /** Called on each SIGUSR2 until it is disposed; without a listener the signal ends the process as usual. */
  readonly onUserSignal: (listener: () => void) => Disposable;
  /** Starts the process that runs the SQL of reports; when omitted, it runs in this process. */
  readonly startQueryProcess?: (() => ChildProcess) | undefined;
};
