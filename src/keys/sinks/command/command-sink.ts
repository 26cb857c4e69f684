import { hasCode, isProgram } from '../../../core/index.ts';
import type { Delivery, Sink, SinkProblem } from '../../model/sink.ts';
import { fingerprintIn } from '../fingerprint.ts';
import { runCommand, type CommandRun } from './run-command.ts';
import { failed, refused } from '../sink-faults.ts';
import type { SinkDeps } from '../sink-deps.ts';
import type { CommandSpec } from './settings.ts';
import { notifiedOf } from './then-command.ts';

const lastLine = (output: string): string =>
  output
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '') ?? '';

/** A program of the operator that reads the key from standard input and prints its SHA-256 as proof in its last line. */
export const createCommandSink = (spec: CommandSpec, place: string, deps: SinkDeps): Sink => {
  const [program = ''] = spec.argv;

  const run = async (order: CommandRun, delivery: Delivery, signal: AbortSignal): Promise<string> => {
    const variables = {
      ...notifiedOf(delivery),
      TOLLKEEPER_GENERATION: String(delivery.generation),
      TOLLKEEPER_KEY_NAME: delivery.keyName,
    };
    try {
      return lastLine(await runCommand({ ...order, variables }, deps, signal));
    } catch (error) {
      if (!hasCode(error, 'command-failed')) throw error;
      const { advice } = error;
      throw error.retryHelps ? failed(error.message, { advice }) : refused(error.message, { advice });
    }
  };

  return {
    place,
    describe: () => `command ${program}`,
    confirmedByPerson: false,
    deliver: async (key, delivery, signal) => {
      const line = await run({ ...spec, input: key }, delivery, signal);
      const fingerprint = fingerprintIn(line);
      if (fingerprint !== undefined) return { fingerprint };
      if (spec.read !== undefined) return {};
      throw failed(`${program} succeeded but did not prove that it has the key`, {
        advice:
          'print the SHA-256 of the stored key, in hex, as the last line, or configure a command under read that does',
      });
    },
    fingerprint: async (delivery, signal) => {
      if (spec.read === undefined)
        return { state: 'unreadable', why: `${program} has no command under read` };
      const order = { argv: spec.read, env: spec.env, timeout: spec.timeout };
      const line = await run(order, delivery, signal);
      if (line === '') return { state: 'empty' };
      const fingerprint = fingerprintIn(line);
      if (fingerprint !== undefined) return { state: 'holds', fingerprint };
      throw failed(`${spec.read[0] ?? ''} did not print a SHA-256 as its last line`);
    },
    problems: () => {
      const missing = [program, ...(spec.read?.slice(0, 1) ?? [])].filter((one) => !isProgram(one, deps));
      return Promise.resolve(
        missing.map((one): SinkProblem => ({
          message: `${one} is not an executable program`,
          advice: 'use the absolute path of a program that is installed where Tollkeeper runs',
        })),
      );
    },
  };
};
