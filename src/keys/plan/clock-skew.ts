import { clockOffset, type GatewayClock } from '../../core/index.ts';
import type { ClockProblem } from '../model/event-fields.ts';

/** Milliseconds by which the gateway's clock may differ from ours. */
export const clockSkew = 900_000;

/** Milliseconds by which call log rows arrive late (docs/gateway.md G16.1). */
const lag = 600_000;

/**
 * The effect of a wrong clock on evidence from the call log. `add`: the idle time grows by `margin` milliseconds; `suspend`: no key ends until the
 * clocks agree.
 */
export type ClockEffect =
  | { readonly effect: 'add'; readonly margin: number }
  | { readonly effect: 'suspend'; readonly problem: ClockProblem };

/** The largest skew, in milliseconds, that a longer idle time compensates. */
const largest = (quiet: number): number => Math.max(lag, quiet / 10);

/**
 * The effect of a skew on evidence that needs `quiet` milliseconds without a call. `logBehind`: milliseconds by which the log stamps our first call
 * with a key before the key's creation. Pure.
 */
export const clockEffect = (
  clock: GatewayClock | undefined,
  { quiet, logBehind = 0 }: { readonly quiet: number; readonly logBehind?: number },
): ClockEffect => {
  const offset = clockOffset(clock);
  const measured = clock === undefined || offset === 0 ? 0 : Math.abs(offset) + clock.uncertainty;
  const skew = Math.max(measured, logBehind);
  if (clock?.date?.isConfirmed === false)
    return {
      effect: 'suspend',
      problem: { kind: 'contradicted', by: Math.abs(clock.date.offset - clock.offset) },
    };
  if (skew <= largest(quiet)) return { effect: 'add', margin: skew };
  return {
    effect: 'suspend',
    problem:
      clock === undefined || measured < logBehind
        ? { kind: 'log-behind', by: logBehind }
        : { kind: 'skew', offset, measuredAt: clock.at },
  };
};
