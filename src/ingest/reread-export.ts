import { messageOf, type Log, type Progress } from '../core/index.ts';
import { breaksOff } from './window-pace.ts';

/** Repeats a read that fails temporarily, with the backoff of the gateway's client; milliseconds. */
export type RetryRead = <T>(
  read: () => Promise<T>,
  options: {
    readonly signal?: AbortSignal | undefined;
    readonly onRetry: (error: unknown, wait: number) => void;
  },
) => Promise<T>;

export type RereadDeps = {
  /** When omitted, a body that breaks off is not requested again. */
  readonly retryRead?: RetryRead | undefined;
  readonly log: Log;
  readonly progress?: Progress | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Reports that an export is requested again: to observers of the run, and to the log. */
export const announceRetry = (
  what: string,
  error: unknown,
  wait: number,
  { log, progress }: Pick<RereadDeps, 'log' | 'progress'>,
): void => {
  const reason = messageOf(error);
  progress?.({
    step: `retrying ${what}`,
    detail: `${reason}; waiting ${(wait / 1000).toFixed(1)} s`,
  });
  log.info(`${what} ended early; retrying`, { reason, wait });
};

/**
 * Requests an export again while its body breaks off: the client itself repeats a request only until the body begins,
 * and has already repeated all other failures. @throws what `read` throws
 */
export const rereadExport = async <T>(what: string, read: () => Promise<T>, deps: RereadDeps): Promise<T> => {
  const { retryRead, signal } = deps;
  if (retryRead === undefined) return read();
  const outcome = await retryRead(
    async () => {
      try {
        return { value: await read() };
      } catch (error) {
        if (breaksOff(error)) throw error;
        return { error };
      }
    },
    { signal, onRetry: (error, wait) => announceRetry(what, error, wait, deps) },
  );
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
};
