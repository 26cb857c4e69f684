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

/** How a program is run: never through a shell. */
export type CommandRequest = {
  readonly argv: readonly string[];
  /** Names of variables that it is given beside PATH, HOME and the like. */
  readonly env: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
};

/** `then` of a job: tells the consumer that it has another key; the program gets no secret. */
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
  /** Prints the SHA-256 of what is there now; it gets no secret. */
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
