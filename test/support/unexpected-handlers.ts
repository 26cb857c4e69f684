import {
  commandTable,
  type CommandHandlers,
  type CommandTable,
  type Handlers,
} from '../../src/control/index.ts';
import type { ProgramHandlers } from '../../src/app/control/handlers.ts';

/** Handlers that a test does not expect to be called, one for each command of the table. */
export const unexpectedIn = <Table extends CommandTable>(table: Table): Handlers<Table> =>
  Object.fromEntries(
    Object.keys(table).map((name) => [
      name,
      (): never => {
        throw new Error(`the test did not expect the command ${name}`);
      },
    ]),
  ) as unknown as Handlers<Table>;

/** The handlers of the program, of which a test gives those that it expects. */
export const handlersWith = (expected: Partial<ProgramHandlers>): CommandHandlers => ({
  ...unexpectedIn(commandTable),
  ...expected,
});
