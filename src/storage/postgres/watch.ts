import type { ClientBase } from 'pg';
import { durationText, fault, type Clock, type Fault, type Limit } from '../../core/index.ts';
import { destroy, socketOf } from './socket.ts';

/** A transaction: its server process, and its start time in the text form of the server. */
export type Backend = { readonly pid: number; readonly begun: string };

/** `backend` is missing outside a transaction, because a pooler may run each statement on another server process. */
export type Statement = { readonly text: string; readonly backend?: Backend | undefined };

export type WatchLimits = {
  /** Milliseconds without a byte, after which another connection asks the server about the statement. */
  readonly answer: number;
  /** Milliseconds without a byte, after which the connection is given up although the server works on the statement. */
  readonly statement: number;
};

export type WatchOptions = {
  readonly limits: WatchLimits;
  readonly clock: Pick<Clock, 'limit'>;
  /** The database in messages, without the password. */
  readonly where: string;
  /** For each statement, whether the server works on it. Rejects if the server does not answer in time. */
  readonly areAtWork: (statements: readonly Statement[]) => Promise<readonly boolean[]>;
  /** Ends a transaction whose connection was given up. */
  readonly terminate: (backend: Backend) => Promise<void>;
};

/** Ends statements whose connection is silent, for example because the server machine is gone. */
export type Watch = {
  /**
   * Watches a statement of a connection until it ends. `isHeldUp` returns whether the statement waits for this process.
   * @throws faults database-unreachable, warehouse-failed if the watch has closed the connection
   */
  readonly during: <T>(
    client: ClientBase,
    statement: Statement,
    run: () => Promise<T>,
    isHeldUp?: () => boolean,
  ) => Promise<T>;
  /** Whether a statement has been silent for `answer` ms, without confirmation from the server. */
  readonly isInDoubt: () => boolean;
};

/** A watch that does nothing, for engines that limit their work as a whole, and for tests. */
export const unwatched: Watch = {
  during: (_client, _statement, run) => run(),
  isInDoubt: () => false,
};

/** How many times the transferred bytes are checked within the shorter limit. */
const ticksPerAnswer = 4;

type Entry = {
  readonly client: ClientBase;
  readonly statement: Statement;
  readonly isHeldUp: () => boolean;
  passed: number;
  /** Milliseconds without a byte: `silent` since the server last confirmed its work, `total` since the last byte. */
  silent: number;
  total: number;
  reason?: Fault;
};

/** The bytes received and sent, without those that still wait to be sent. */
const passedOn = (client: ClientBase): number => {
  const socket = socketOf(client);
  return socket.bytesRead + socket.bytesWritten - socket.writableLength;
};

export const createWatch = ({ limits, clock, where, areAtWork, terminate }: WatchOptions): Watch => {
  const entries = new Set<Entry>();
  const interval = Math.min(limits.answer, limits.statement) / ticksPerAnswer;
  let timer: Limit | undefined;
  let isAsking = false;

  const giveUp = (entry: Entry, reason: Fault): void => {
    if (!entries.has(entry)) return;
    entry.reason = reason;
    destroy(entry.client);
    const { backend } = entry.statement;
    // The backend otherwise continues the statement, and holds its locks, although its result is no longer read.
    if (backend !== undefined) terminate(backend).catch(() => undefined);
  };
  const isSilent = ({ silent }: Entry): boolean => silent >= limits.answer;
  /** Asks about all silent statements in one call, so that a server that does not answer causes one timeout, not one for each. */
  const ask = async (silent: readonly Entry[]): Promise<void> => {
    isAsking = true;
    const answers = await areAtWork(silent.map(({ statement }) => statement)).catch(() => []);
    isAsking = false;
    for (const [nth, entry] of silent.entries())
      if (answers[nth] === true || passedOn(entry.client) !== entry.passed) entry.silent = 0;
      // If bytes passed before a check since the question, the connection is no longer silent.
      else if (isSilent(entry))
        giveUp(
          entry,
          fault('database-unreachable', `${where}: the server does not answer on an open connection`),
        );
  };
  const look = (entry: Entry): void => {
    const passed = passedOn(entry.client);
    if (passed !== entry.passed || entry.isHeldUp()) {
      Object.assign(entry, { passed, silent: 0, total: 0 });
      return;
    }
    // Counts intervals, not clock time: a process that was suspended for minutes received nothing, and was not waiting.
    entry.silent += interval;
    entry.total += interval;
    if (entry.total >= limits.statement)
      giveUp(
        entry,
        fault(
          'warehouse-failed',
          `${where}: a statement did not end within ${durationText(limits.statement)}`,
          {
            retryHelps: true,
            advice:
              'raise database_timeout, or check in pg_stat_activity which locks or events block statements',
          },
        ),
      );
  };
  const schedule = (): void => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (entries.size === 0) return;
    timer = clock.limit(interval);
    timer.signal.addEventListener('abort', () => {
      for (const entry of entries) look(entry);
      const silent = [...entries].filter(isSilent);
      if (silent.length > 0 && !isAsking) void ask(silent);
      schedule();
    });
  };

  return {
    isInDoubt: () => [...entries].some(isSilent),
    during: async (client, statement, run, isHeldUp = () => false) => {
      const entry: Entry = {
        client,
        statement,
        isHeldUp,
        passed: passedOn(client),
        silent: 0,
        total: 0,
      };
      entries.add(entry);
      if (entries.size === 1) schedule();
      try {
        return await run();
      } catch (error) {
        throw entry.reason ?? error;
      } finally {
        entries.delete(entry);
        if (entries.size === 0) schedule();
      }
    },
  };
};
