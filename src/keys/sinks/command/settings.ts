import { z } from 'zod';
import { positiveDuration } from '../../../config/index.ts';
import { fillNote } from '../setting-fields.ts';

const argv = z
  .array(z.string().min(1))
  .min(1)
  .describe(`Program and arguments as a list, run without a shell. ${fillNote}`);

const variables = z
  .array(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of an environment variable' }),
  )
  .default([])
  .describe(
    'Environment variables that are passed to the program, in addition to PATH, HOME and similar ones.',
  );

const timeout = positiveDuration.prefault('1m').describe('Maximum duration of the program.');

export type CommandRequest = {
  readonly argv: readonly string[];
  /** Names of variables to pass in addition to PATH, HOME and similar ones. */
  readonly env: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
};

/** `then` of a job: notifies the consumer of a new key; the program receives no secret. */
export const thenSettings = z
  .strictObject({ command: argv, env: variables, timeout })
  .transform(({ command, env, timeout }): CommandRequest => ({ argv: command, env, timeout }));

export const commandSettings = z.strictObject({
  run: argv.describe(
    `Program that receives the key on standard input, and prints the SHA-256 of the stored key in hex as its last line. ${fillNote}`,
  ),
  read: argv
    .optional()
    .describe(
      `Program that prints the SHA-256 of the currently stored key in hex as its last line. ${fillNote}`,
    ),
  env: variables,
  timeout,
});

export type CommandSpec = CommandRequest & {
  readonly kind: 'command';
  /** Prints the SHA-256 of the stored key; receives no secret. */
  readonly read?: readonly string[] | undefined;
};

export const commandSpecOf = ({
  run,
  read,
  env,
  timeout,
}: z.output<typeof commandSettings>): CommandSpec => ({
  kind: 'command',
  argv: run,
  env,
  timeout,
  read,
});
