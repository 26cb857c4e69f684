import type { ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { createGate, fault, type Clock } from '../../core/index.ts';
import { exceeded } from './in-process.ts';
import type { QueryReply, Question, Questions } from './protocol.ts';
import { residentBytes, type QueryMemory } from './query-memory.ts';

export type ProcessOptions = {
  /** Shared with the other processes that run queries. */
  readonly memory?: QueryMemory | undefined;
  /** Whether its queries get only the processor time and the memory that reports leave. */
  readonly yields?: boolean | undefined;
};

export type AskLimits = {
  /** Milliseconds. */
  readonly timeLimit: number;
  /** Bytes above those that the process has in use before its first query. */
  readonly memoryLimit: number;
  readonly signal?: AbortSignal | undefined;
};

export type QueryProcess = AsyncDisposable & {
  /** @throws fault report-query-failed; the signal's reason */
  readonly ask: <Q extends Question>(
    question: Q,
    input: Questions[Q]['input'],
    limits: AskLimits,
  ) => Promise<Questions[Q]['output']>;
  /** Closes the file of the last query, so that it can be written. */
  readonly release: () => Promise<void>;
};

/** Milliseconds between two looks at the memory of a query. */
const lookEvery = 20;

/** Closing a file takes milliseconds; the process is replaced when it does not. */
const releaseLimits: AskLimits = { timeLimit: 10_000, memoryLimit: Number.POSITIVE_INFINITY };

/** Milliseconds after which an idle process ends, because it takes about 100 MB. */
const idleLimit = 5000;

type Running = {
  readonly child: ChildProcess;
  readonly baseline: number;
  readonly ended: Promise<string>;
};

/**
 * Leaves most of the processor time to others. The lowest priority would get one or two hundredths of a busy processor:
 * small queries would exceed their limits.
 */
const giveWay = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A system that allows no priorities shares the processor evenly.
  }
};

const refer = ({ child }: Running, isBusy: boolean): void => {
  if (isBusy) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
};

const started = async (start: () => ChildProcess, yields: boolean): Promise<Running> => {
  const child = start();
  // At once: a thread has the priority that its process had when it began.
  if (yields) giveWay(child);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const ready = new Promise<undefined>((resolve) => {
    child.once('message', () => resolve(undefined));
  });
  const why = await Promise.race([ready, ended]);
  if (why !== undefined)
    throw fault('report-query-failed', `the process that runs queries does not start (${why})`);
  return { child, ended, baseline: residentBytes(child.pid ?? 0) ?? 0 };
};

/**
 * A child process that runs queries one after the other. It starts with the first, ends when it is not used, and is
 * killed, and later replaced, when a query exceeds a limit.
 */
export const createQueryProcess = (
  start: () => ChildProcess,
  clock: Clock,
  { memory, yields = false }: ProcessOptions = {},
): QueryProcess => {
  const oneAtATime = createGate(1);
  let running: Running | undefined;
  let idle: NodeJS.Timeout | undefined;
  let counted: Disposable | undefined;
  let stopQuery: ((why: Error) => void) | undefined;

  const end = async (): Promise<void> => {
    clearTimeout(idle);
    counted?.[Symbol.dispose]();
    const ending = running;
    running = undefined;
    if (ending === undefined) return;
    refer(ending, true);
    ending.child.kill('SIGKILL');
    await ending.ended;
  };

  const replyOf = async (asked: Running, { timeLimit, memoryLimit, signal }: AskLimits, send: () => void) => {
    using late = clock.limit(timeLimit);
    let stop = (_why: Error): void => undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = reject;
    });
    stopQuery = (why) => stop(why);
    const onLate = (): void => stop(exceeded(timeLimit));
    const onAbort = (): void => stop(signal?.reason as Error);
    const watch = setInterval(() => {
      memory?.check();
      const bytes = residentBytes(asked.child.pid ?? 0) ?? 0;
      if (bytes - asked.baseline > memoryLimit)
        stop(
          fault(
            'report-query-failed',
            `the query needs more than ${Math.round(memoryLimit / 2 ** 20)} MB of memory`,
          ),
        );
    }, lookEvery);
    late.signal.addEventListener('abort', onLate, { once: true });
    signal?.addEventListener('abort', onAbort, { once: true });
    const died = asked.ended.then((why): never => {
      throw fault('report-query-failed', `the process that runs the query ended (${why})`);
    });
    died.catch(() => undefined);
    const answered = new Promise<QueryReply>((resolve) => {
      asked.child.once('message', (reply) => resolve(reply as QueryReply));
    });
    try {
      send();
      return await Promise.race([answered, stopped, died]);
    } catch (error) {
      await end();
      throw error;
    } finally {
      stopQuery = undefined;
      clearInterval(watch);
      late.signal.removeEventListener('abort', onLate);
      signal?.removeEventListener('abort', onAbort);
    }
  };

  const begin = async (): Promise<Running> => {
    const begun = await started(start, yields);
    running = begun;
    const { child, baseline } = begun;
    counted = memory?.add({
      pid: child.pid ?? 0,
      baseline,
      yields,
      end: (why) => (stopQuery === undefined ? void oneAtATime(end) : stopQuery(why)),
    });
    return begun;
  };

  const ask = async <Q extends Question>(
    question: Q,
    input: Questions[Q]['input'],
    limits: AskLimits,
  ): Promise<Questions[Q]['output']> => {
    limits.signal?.throwIfAborted();
    clearTimeout(idle);
    const asked = running ?? (await begin());
    // An abort while the process started calls no listener that is added later.
    if (limits.signal?.aborted === true) await end();
    limits.signal?.throwIfAborted();
    refer(asked, true);
    const reply = await replyOf(asked, limits, () => void asked.child.send({ question, input }));
    refer(asked, false);
    idle = setTimeout(() => void oneAtATime(end), idleLimit).unref();
    if (reply.failure !== undefined) throw fault('report-query-failed', reply.failure);
    return reply.value;
  };

  return {
    ask: async (question, input, limits) => oneAtATime(async () => ask(question, input, limits)),
    release: async () =>
      oneAtATime(async () => {
        if (running !== undefined) await ask('close', null, releaseLimits);
      }),
    [Symbol.asyncDispose]: async () => oneAtATime(end),
  };
};
