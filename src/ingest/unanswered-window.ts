import { announceRetry, rereadExport, type RereadDeps } from './reread-export.ts';
import { afterRefusal, breaksOff, type Pace } from './window-pace.ts';

/**
 * What follows an unanswered window: it is requested again, its parts are requested at this pace, or its length is not
 * the cause.
 */
export type Consequence = 'again' | 'not its length' | Pace;

type Unanswered = {
  /** The window, or its plan: each is requested again once. */
  readonly item: object;
  readonly length: number;
  readonly error: unknown;
  readonly pace: Pace;
  /** Requests the shortest part of the window; omitted when the window is that part. */
  readonly shortest?: (() => Promise<unknown>) | undefined;
};

/** Judges the windows of one pull. @throws the error of a window that a shorter one would not avoid. */
export const createUnansweredJudge = (
  what: string,
  deps: RereadDeps,
): ((unanswered: Unanswered) => Promise<Consequence>) => {
  let repeated: object | undefined;
  const isAnswered = async (read: () => Promise<unknown>): Promise<boolean> => {
    try {
      await rereadExport(what, read, deps);
      return true;
    } catch {
      deps.signal?.throwIfAborted();
      return false;
    }
  };
  return async ({ item, length, error, pace, shortest }) => {
    if (pace.halvings === 0) {
      if (breaksOff(error) && repeated !== item) {
        repeated = item;
        announceRetry(what, error, 0, deps);
        return 'again';
      }
      if (shortest === undefined || !(await isAnswered(shortest))) return 'not its length';
    }
    const slower = afterRefusal(pace, length);
    if (slower === undefined) throw error;
    return slower;
  };
};
