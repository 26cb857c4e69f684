#!/usr/bin/env node
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  createSecretRegistry,
  describeError,
  fault,
  printable,
  systemClock,
  type OutputStream,
} from './core/index.ts';
import { runProgram } from './cli/program.ts';

// Files are readable by their owner alone, unless a setting sets their mode.
process.umask(0o077);

const output = (stream: NodeJS.WriteStream): OutputStream => ({
  write: (text) => void stream.write(text),
  isTerminal: stream.isTTY,
  columns: stream.columns ?? 100,
});

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // The second signal ends the process at once, without waiting for running work.
    if (stopping.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143);
    stopping.abort(fault('aborted', `stopped by ${name}`));
  });
}

const secrets = createSecretRegistry();
const streams = { input: process.stdin, output: process.stdout };

/** Prints an error with secrets redacted and control characters escaped. */
const printError = (text: string): void => void process.stderr.write(`${printable(secrets.redact(text))}\n`);

// A closed pipe, as in `tollkeeper check | head -1`, is not an error. After any other write error a command exits with 1; the daemon continues,
// because it must send mails even if it cannot log.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.exitCode = 1;
  printError(`tollkeeper: standard output cannot be written (${error.code ?? error.message})`);
});
process.stderr.on('error', () => undefined);

// Without this handler, Node.js prints the error with its secrets.
process.on('uncaughtException', (error: unknown) => {
  printError(`tollkeeper: ${describeError(error)}`);
  process.exit(1);
});

const onSignal =
  (name: NodeJS.Signals) =>
  (listener: () => void): Disposable => {
    process.on(name, listener);
    return { [Symbol.dispose]: () => void process.off(name, listener) };
  };

const exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  systemRoot: '/',
  invocation: { script: process.argv[1] ?? 'tollkeeper', npmCommand: process.env['npm_command'] },
  clock: systemClock,
  random: Math.random,
  secrets,
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  streams,
  prompts: process.stdin.isTTY && process.stdout.isTTY ? streams : undefined,
  signal: stopping.signal,
  startQueryProcess: () =>
    fork(fileURLToPath(new URL('query-process.js', import.meta.url)), {
      // The process receives no secrets, and its output is discarded.
      env: { TZ: 'UTC' },
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    }),
  onHangup: onSignal('SIGHUP'),
  onUserSignal: onSignal('SIGUSR2'),
});
if (exitCode !== 0) process.exitCode = exitCode;
