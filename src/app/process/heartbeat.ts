import { messageOf, type Clock, type Log, type Deps } from '../../core/index.ts';
import type { Job } from '../../config/index.ts';
import { createHttp, type Http } from '../../http/index.ts';
import { version } from '../../version.ts';

export type Heartbeats = AsyncDisposable & {
  /** Pings the dead-man's switch of the job, if any, after a successful run. Does not wait, never throws. */
  readonly beat: (job: Job) => void;
};

/** Milliseconds before each attempt; a monitor that is down for a minute need not raise an alarm. */
const tries = [0, 2_000, 20_000];

const timeouts = { connect: 10_000, headers: 15_000, idle: 15_000, total: 20_000 };

const beatOnce = async (http: Http, url: URL, signal: AbortSignal): Promise<void> => {
  const answer = await http.send({ method: 'GET', url, signal });
  await answer.discard();
  if (answer.status >= 300) throw new Error(`HTTP status ${answer.status}`);
};

/** Calls the `heartbeat_url` of jobs. The URL is a credential, so no log line contains it. */
export const createHeartbeats = (deps: Pick<Deps, 'env'> & { clock: Clock; log: Log }): Heartbeats => {
  const { clock, log } = deps;
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  let http: Http | undefined;
  const call = async (job: Job, url: URL): Promise<void> => {
    http ??= createHttp({ userAgent: `tollkeeper/${version}`, env: deps.env, timeouts });
    let problem = '';
    for (const wait of tries) {
      try {
        if (wait > 0) await clock.wait(wait, closing.signal);
        return await beatOnce(http, url, closing.signal);
      } catch (error) {
        if (closing.signal.aborted) return;
        problem = messageOf(error);
      }
    }
    log.warn('cannot send the heartbeat', { job: job.name, host: url.host, error: problem });
  };
  return {
    beat: (job) => {
      const text = job.heartbeatUrl?.reveal();
      if (text === undefined) return;
      const work = call(job, new URL(text)).finally(() => void underWay.delete(work));
      underWay.add(work);
    },
    [Symbol.asyncDispose]: async () => {
      // A ping in progress completes; one that waits for its next attempt does not delay the stop.
      const soon = Promise.all(underWay);
      using limit = clock.limit(2_000);
      await Promise.race([
        soon,
        new Promise<void>((resolve) => {
          limit.signal.addEventListener('abort', () => resolve(), { once: true });
        }),
      ]);
      closing.abort();
      await soon;
      await http?.[Symbol.asyncDispose]();
    },
  };
};
