import { randomUUID } from 'node:crypto';
import { fault, hasCode, type Clock } from '../core/index.ts';
import type { StateEngine } from '../storage/index.ts';
import type { Call, CommandContext, CommandTable, Handlers } from './command.ts';
import { brokenOff } from './exchange.ts';
import { createRequests } from './requests.ts';
import { passEvent, readEvent, valueOf } from './wire.ts';

export type AskOptions = {
  /** The database that the working replica uses too. */
  readonly database: Pick<StateEngine, 'state'>;
  /** Version of the program; the working replica must have the same. */
  readonly version: string;
  readonly clock: Clock;
  /** Milliseconds until a replica must have taken the request, and without the database. */
  readonly timeout: number;
};

/** Milliseconds between two readings of the answer. */
const pause = 200;

/**
 * The commands of the replica that works on this database, asked through it. They reject as those of a daemon do, with
 * daemon-unreachable when no replica takes them, and with daemon-stopped when the one that runs them ends.
 */
export const askReplica = <Table extends CommandTable, Given extends Handlers<Table>>({
  database,
  version,
  clock,
  timeout,
}: AskOptions): Call<Table, Given> => {
  const requests = createRequests(database);
  const answerTo = async (id: string, context: Partial<CommandContext>): Promise<unknown> => {
    const { signal } = context;
    let next = 0;
    let heard = clock.now();
    for (;;) {
      if (signal?.aborted === true) throw brokenOff(signal);
      const late = clock.now() - heard > timeout;
      try {
        const read = await requests.read(id, next);
        if (read === undefined)
          throw fault(
            'daemon-stopped',
            'the command was dropped: the server has crashed, or this process was stopped for too long',
          );
        if (read.isTaken) heard = clock.now();
        else if (late)
          throw fault('daemon-unreachable', 'no replica has taken the command', {
            advice:
              'start a replica, or wait until the process that works on the database has ended; then try again',
            retryHelps: true,
          });
        for (const line of read.lines) {
          next += 1;
          const event = readEvent(line);
          if (event.event === 'end') return valueOf(event.outcome);
          passEvent(event, context);
        }
      } catch (error) {
        if (late || !hasCode(error, 'database-unreachable')) throw error;
      }
      await clock.wait(pause, signal);
    }
  };
  const call = async (
    name: string,
    input: unknown,
    context: Partial<CommandContext> = {},
  ): Promise<unknown> => {
    const id = randomUUID();
    await requests.ask({ id, version, command: name, input: JSON.stringify(input ?? null) });
    try {
      return await answerTo(id, context);
    } finally {
      // One that stays is dropped after a while.
      await requests.withdraw(id).catch(() => undefined);
    }
  };
  // Both sides have the same version, so answers and results have the types known here.
  return call as Call<Table, Given>;
};
