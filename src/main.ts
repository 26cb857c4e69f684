#!/usr/bin/env node
import { createSecretRegistry, systemClock } from './base/index.ts';
import type { OutputStream } from './base/index.ts';
import { runProgram } from './cli/program.ts';

const output = (stream: NodeJS.WriteStream): OutputStream => ({
  write: (text) => void stream.write(text),
  isTerminal: stream.isTTY,
  columns: stream.columns ?? 100,
});

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // The second signal means it: no more waiting for what still runs.
    if (stopping.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143);
    stopping.abort(new Error(`stopped by ${name}`));
  });
}

// A closed pipe (`tollkeeper query | head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  clock: systemClock,
  random: Math.random,
  secrets: createSecretRegistry(),
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  signal: stopping.signal,
});
