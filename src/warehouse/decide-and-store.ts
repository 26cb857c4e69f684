import { isDeepStrictEqual } from 'node:util';
import { inTransaction, type Sql, type StateEngine } from '../storage/index.ts';

type Decision<State, Writes> = {
  readonly read: (connection: Sql) => Promise<State>;
  /** May be called again, and must have no effect that would then be repeated. Undefined: nothing is to be stored. */
  readonly decide: (state: State) => Promise<Writes | undefined>;
  readonly write: (connection: Sql, writes: Writes, state: State) => Promise<void>;
};

/**
 * Stores a decision in one transaction, provided that the state it is based on has not changed; otherwise decides again. No
 * transaction is open while it decides, since that takes long: mails are rendered.
 */
export const decideAndStore = async <State, Writes>(
  engine: StateEngine,
  { read, decide, write }: Decision<State, Writes>,
): Promise<void> => {
  for (;;) {
    const state = await engine.state(read);
    const writes = await decide(state);
    if (writes === undefined) return;
    const isStored = await engine.state(async (connection) =>
      inTransaction(connection, async () => {
        if (!isDeepStrictEqual(await read(connection), state)) return false;
        await write(connection, writes, state);
        return true;
      }),
    );
    if (isStored) return;
  }
};
