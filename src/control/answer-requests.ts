import {
  errorFields,
  fault,
  hasCode,
  type Clock,
  type Fault,
  type Log,
  type ProgressStep,
} from '../core/index.ts';
import type { StateEngine } from '../storage/index.ts';
import { carryOut } from './carry-out.ts';
import { findCommand, type CommandTable, type Handlers } from './command.ts';
import { createRequests, type Request, type Requests } from './requests.ts';
import { createThrottle } from './throttle.ts';
import { lineOf, outcomeOfError, versionsDiffer, type Outcome, type WireEvent } from './wire.ts';

export type AnswerOptions<Table extends CommandTable> = {
  /** The database in which other processes ask. */
  readonly database: Pick<StateEngine, 'state'>;
  /** The name of this replica, which works. */
  readonly holder: string;
  readonly table: Table;
  readonly handlers: Handlers<Table>;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Applied to every text sent. */
  readonly redact: (text: string) => string;
};

/** Milliseconds between two looks at the requests. */
const pause = 250;
/** Milliseconds until the database is tried again. */
const rest = 1000;

const stopped = fault('daemon-stopped', 'the replica that ran the command ended before it finished');

/** Stores the lines of an answer in order while the command runs. `again` decides after an error whether to retry. */
const openLines = (id: string, requests: Requests, again: (error: unknown) => Promise<boolean>) => {
  let waiting: string[] = [];
  let count = 0;
  let storing: Promise<void> | undefined;
  const store = async (): Promise<void> => {
    while (waiting.length > 0) {
      const lines = waiting.map((line, index) => ({ nth: count + index, line }));
      try {
        await requests.put(id, lines);
        count += lines.length;
        waiting = waiting.slice(lines.length);
      } catch (error) {
        if (!(await again(error))) waiting = [];
      }
    }
  };
  return {
    write: (line: string): void => {
      waiting.push(line);
      storing ??= store().finally(() => void (storing = undefined));
    },
    stored: (): Promise<void> => storing ?? Promise.resolve(),
  };
};

/**
 * Runs the commands that other processes request through the database, until it is disposed. Commands that are running then are aborted and
 * end with daemon-stopped. Commands that a former replica had begun end with daemon-stopped, too; what they did is in the ledger and the journals.
 */
export const answerRequests = <Table extends CommandTable>({
  database,
  holder,
  table,
  handlers,
  version,
  clock,
  log,
  redact,
}: AnswerOptions<Table>): AsyncDisposable => {
  const requests = createRequests(database);
  const stopping = new AbortController();
  const running = new Map<
    string,
    { readonly stop: (reason: Fault) => void; readonly stored: () => Promise<void> }
  >();

  const start = ({ id, command: name, input, version: program }: Request): void => {
    const controller = new AbortController();
    const lines = openLines(id, requests, async (error) => {
      log.warn('cannot store the answer to a command', { command: name, ...errorFields(error) });
      if (!hasCode(error, 'database-unreachable') || stopping.signal.aborted) return false;
      await clock.wait(rest);
      return true;
    });
    const write = (event: WireEvent): void => lines.write(lineOf(event, redact));
    let isOver = false;
    const throttle = createThrottle(clock, (step) => {
      write({ event: 'progress', step: { ...step } });
      return true;
    });
    const end = (outcome: Outcome): void => {
      if (isOver) return;
      throttle.flush();
      write({ event: 'end', outcome });
      isOver = true;
      throttle[Symbol.dispose]();
    };
    const answer = {
      signal: controller.signal,
      progress: (step: ProgressStep): void => {
        if (!isOver) throttle.progress(step);
      },
      onResult: (result: unknown): void => {
        if (!isOver) write({ event: 'result', result });
      },
      end,
    };
    const found = findCommand(table, handlers, name);
    const work = async (): Promise<void> => {
      if (program !== version) end(outcomeOfError(versionsDiffer(version, program)));
      else if (found === undefined)
        end(outcomeOfError(fault('wrong-use', `the daemon has no command ${name}`)));
      else await carryOut({ name, ...found, input: () => JSON.parse(input) as unknown }, answer, log);
      await lines.stored();
    };
    running.set(id, {
      stop: (reason) => {
        end(outcomeOfError(reason));
        controller.abort(reason);
      },
      stored: lines.stored,
    });
    void work().finally(() => running.delete(id));
  };

  const look = async (): Promise<void> => {
    const all = await requests.found();
    for (const { id, holder: taker, isLeft } of all) {
      if (isLeft) await requests.withdraw(id);
      else if (taker === undefined) {
        const request = await requests.take(id, holder);
        if (request !== undefined) start(request);
      } else if (taker !== holder)
        await requests.inherit(
          id,
          holder,
          lineOf({ event: 'end', outcome: outcomeOfError(stopped) }, redact),
        );
    }
    const known = new Set(all.flatMap(({ id, isLeft }) => (isLeft ? [] : [id])));
    for (const [id, { stop }] of running)
      if (!known.has(id)) stop(fault('aborted', 'the command that requested the run was interrupted'));
  };

  const lookAlways = async (): Promise<void> => {
    const { signal } = stopping;
    let failure = '';
    while (!signal.aborted)
      try {
        await look();
        failure = '';
        await clock.wait(pause, signal);
      } catch (error) {
        if (signal.aborted) return;
        const fields = errorFields(error);
        if (fields['error'] !== failure)
          log.warn('cannot read the commands that other processes ask for', fields);
        failure = String(fields['error']);
        await clock.wait(rest, signal).catch(() => undefined);
      }
  };
  const looking = lookAlways();
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await looking;
      const left = [...running.values()];
      for (const { stop } of left) stop(stopped);
      await Promise.all(left.map(({ stored }) => stored()));
    },
  };
};
