import { errorFields, isFault, type Log } from '../core/index.ts';
import { contextFor, readInput, type Command, type CommandContext, type RawHandler } from './command.ts';
import { outcomeOfError, type Outcome } from './wire.ts';

export type Asked = {
  readonly name: string;
  readonly command: Command;
  readonly handler: RawHandler;
  /** Not parsed yet. */
  readonly input: () => unknown;
};

/** Runs a command, and ends its answer with the value or the error. Never rejects. */
export const carryOut = async (
  asked: Asked,
  answer: CommandContext & { readonly end: (outcome: Outcome, status?: number) => void },
  log: Log,
): Promise<void> => {
  const { name, command } = asked;
  try {
    const read = readInput(name, command, await asked.input());
    log.debug('command', { command: name });
    const value = await asked.handler(read, contextFor(command, answer));
    answer.end({ end: 'value', value });
  } catch (error) {
    if (!isFault(error)) log.error('a command failed', { command: name, ...errorFields(error) });
    answer.end(outcomeOfError(error), isFault(error) && error.exitCode === 2 ? 400 : 500);
  }
};
