import type { PullMeter } from './pull-meter.ts';
import type { RereadDeps } from './reread-export.ts';
import { createUnansweredJudge } from './unanswered-window.ts';
import { mayBeTooLong, type Pace } from './window-pace.ts';

/** The windows of one export, and how they are requested. Lengths are in the unit of the windows. */
export type WindowLoop<Window extends object, Answer> = {
  readonly exportName: string;
  /** What is left, in order. A window that is too long is replaced by its parts. */
  readonly pending: Window[];
  /** Replaces windows that are known to be too long before they are requested. */
  readonly cutToPace: () => void;
  readonly lengthOf: (window: Window) => number;
  readonly textOf: (window: Window) => string;
  /** Whether the next window may be requested; otherwise the loop ends. */
  readonly mayRequest?: ((window: Window) => boolean) | undefined;
  /** Requests the first window, and perhaps some of those after it. */
  readonly request: (windows: readonly [Window, ...Window[]]) => Promise<Answer>;
  /** Whether the answer may be complete; otherwise it was let go and the window replaced by its parts. */
  readonly isWhole: (window: Window, answer: Answer) => Promise<boolean>;
  /** Changes the next request of an unanswered window before its length is judged; returns whether it did. */
  readonly changeFirst?: (window: Window, error: unknown) => Promise<boolean>;
  /** The same where its length is not the cause. */
  readonly changeInstead?: (window: Window, error: unknown) => boolean;
  /** Requests the shortest part of the window; undefined where the window is that part. */
  readonly shortest: (window: Window) => (() => Promise<unknown>) | undefined;
  readonly pace: () => Pace;
  /** Replaces the first window by shorter ones, and goes on at this pace. @throws the error where there are none */
  readonly shorten: (window: Window, error: unknown, pace: Pace) => void;
};

/**
 * Requests windows one after the other and yields the answers in order, the window no longer among those left. A window
 * that is not answered because of its length, or whose answer looks capped, is split and requested again.
 * @throws what a request throws, in the turn of its window.
 */
export async function* askInOrder<Window extends object, Answer>(
  loop: WindowLoop<Window, Answer>,
  { meter, ...deps }: RereadDeps & { readonly meter: PullMeter },
): AsyncGenerator<readonly [Window, Answer], void, undefined> {
  const { pending, lengthOf } = loop;
  const judge = createUnansweredJudge(loop.exportName, deps);
  /** Changes the next request, or throws. */
  const askForLess = async (window: Window, error: unknown): Promise<void> => {
    deps.signal?.throwIfAborted();
    if (!mayBeTooLong(error)) throw error;
    if ((await loop.changeFirst?.(window, error)) === true) return;
    const next = await judge({
      item: window,
      length: lengthOf(window),
      error,
      pace: loop.pace(),
      shortest: loop.shortest(window),
    });
    if (next === 'again') return;
    if (next !== 'not its length') loop.shorten(window, error, next);
    else if (loop.changeInstead?.(window, error) !== true) throw error;
  };
  for (;;) {
    loop.cutToPace();
    const [window, ...others] = pending;
    if (window === undefined || loop.mayRequest?.(window) === false) return;
    deps.signal?.throwIfAborted();
    meter.left(
      pending.length,
      pending.reduce((sum, one) => sum + lengthOf(one), 0),
    );
    meter.at(loop.textOf(window));
    let answer: Answer;
    try {
      answer = await loop.request([window, ...others]);
    } catch (error) {
      await askForLess(window, error);
      continue;
    }
    if (!(await loop.isWhole(window, answer))) continue;
    pending.shift();
    yield [window, answer];
  }
}
