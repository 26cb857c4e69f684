import { fault, noProgress } from '../core/index.ts';
import {
  contextFor,
  findCommand,
  readInput,
  type Call,
  type CommandContext,
  type CommandTable,
  type Handlers,
} from './command.ts';

export const callLocally = <Table extends CommandTable, Given extends Handlers<Table>>(
  table: Table,
  handlers: Given,
): Call<Table, Given> => {
  const call = async (
    name: string,
    input: unknown,
    options: Partial<CommandContext> = {},
  ): Promise<unknown> => {
    const found = findCommand(table, handlers, name);
    if (found === undefined) throw fault('wrong-use', `unknown command ${name}`);
    const { signal = new AbortController().signal, progress = noProgress } = options;
    const context = contextFor(found.command, {
      signal,
      progress,
      onResult: options.onResult ?? (() => undefined),
    });
    return found.handler(readInput(name, found.command, input), context);
  };
  // `Call` repeats the types of the handlers, so the cast is safe.
  return call as Call<Table, Given>;
};
