import type { ServerResponse } from 'node:http';
import { fault, type Clock, type Limit } from '../core/index.ts';
import type { CommandContext } from './command.ts';
import { createThrottle } from './throttle.ts';
import { lineOf, type Outcome, type WireEvent } from './wire.ts';

/** Milliseconds between two heartbeats, by which each side detects that the other is gone. */
export const heartbeat = 10_000;

/** Bytes buffered for a client that does not read: some thousand results. */
const maxUnread = 4_000_000;

export type Answer = CommandContext & {
  /** The first call ends the answer; later calls and events are ignored. `status` is the HTTP status, 200 by default. */
  readonly end: (outcome: Outcome, status?: number) => void;
  /** Aborts the command with the reason and ends the answer with the outcome. */
  readonly stop: (reason: Error, outcome: Outcome) => void;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
};

export const openAnswer = (
  response: ServerResponse,
  deps: { readonly clock: Clock; readonly redact: (text: string) => string },
): Answer => {
  const { clock, redact } = deps;
  const controller = new AbortController();
  let over = false;
  const write = (event: WireEvent): void => {
    if (over) return;
    response.write(lineOf(event, redact));
    // Results must not be dropped, so a client that never reads is disconnected.
    if (response.writableLength > maxUnread) response.destroy();
  };
  const writeIfRoom = (event: WireEvent): boolean => {
    if (response.writableNeedDrain) return false;
    write(event);
    return true;
  };
  const throttle = createThrottle(clock, (step) => writeIfRoom({ event: 'progress', step: { ...step } }));

  let untilBeat: Limit | undefined;
  const beat = (): void => {
    untilBeat = clock.limit(heartbeat);
    untilBeat.signal.addEventListener('abort', () => {
      writeIfRoom({ event: 'alive' });
      beat();
    });
  };
  beat();

  const settle = (): void => {
    over = true;
    untilBeat?.[Symbol.dispose]();
    throttle[Symbol.dispose]();
  };
  const closed = new Promise<void>((resolve) => {
    response.once('close', () => {
      const leftEarly = !over;
      settle();
      if (leftEarly) controller.abort(fault('aborted', 'the command that requested the run was interrupted'));
      resolve();
    });
  });
  const end = (outcome: Outcome, status = 200): void => {
    if (over) return;
    // A value that is not JSON throws here, while the answer can still end with that error.
    const line = lineOf({ event: 'end', outcome }, redact);
    throttle.flush();
    settle();
    if (!response.headersSent) response.statusCode = status;
    response.end(line);
  };
  return {
    signal: controller.signal,
    progress: (step) => {
      if (!over) throttle.progress(step);
    },
    onResult: (result) => {
      if (over) return;
      throttle.flush();
      write({ event: 'result', result });
    },
    end,
    stop: (reason, outcome) => {
      const stuck = response.writableNeedDrain;
      end(outcome, 503);
      controller.abort(reason);
      if (stuck) response.destroy();
    },
    closed,
  };
};
