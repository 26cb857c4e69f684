import {
  countText,
  exactSpanOf,
  clockOffset,
  formatMoment,
  toSeconds,
  type ContradictedDate,
  type GatewayClock,
} from '../../core/index.ts';

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
  | { readonly effect: 'suspend'; readonly message: string };

/** `2 hours`, `90 minutes`. */
export const lengthText = (millis: number): string => {
  const { count, unit } = exactSpanOf(millis);
  return countText(count, unit);
};

const advice = 'synchronize both clocks (NTP); deletions resume automatically';

/** The largest skew, in milliseconds, that a longer idle time compensates. */
const largest = (quiet: number): number => Math.max(lag, quiet / 10);

const unconfirmedMessage = ({ offset }: GatewayClock, date: ContradictedDate): string => {
  const error = Math.abs(date.offset - offset);
  return error > 0
    ? `the Date header of the gateway contradicts the creation times of its keys by ${lengthText(error)}, and the stored call log does not show yet which of them stamps calls. No key is deleted until the call log contains the first call with the newest key; deletions resume automatically`
    : `the Date header of the gateway contradicts the creation times of its keys, or did before it jumped, and the stored call log does not show which of them stamps calls. No key is deleted until the call log contains the first call with a newer key, or the header agrees with the clock of this host; deletions resume automatically`;
};

/**
 * The effect of a skew on evidence that needs `quiet` milliseconds without a call. `logBehind`: milliseconds by which the log stamps our first call
 * with a key before the key's creation. Pure.
 */
export const clockEffect = (
  clock: GatewayClock | undefined,
  {
    quiet,
    zone,
    logBehind = 0,
  }: { readonly quiet: number; readonly zone: string; readonly logBehind?: number },
): ClockEffect => {
  const offset = clockOffset(clock);
  const measured = clock === undefined || offset === 0 ? 0 : Math.abs(offset) + clock.uncertainty;
  const skew = Math.max(measured, logBehind);
  if (clock?.date?.isConfirmed === false)
    return { effect: 'suspend', message: unconfirmedMessage(clock, clock.date) };
  if (skew <= largest(quiet)) return { effect: 'add', margin: skew };
  if (clock === undefined || measured < logBehind)
    return {
      effect: 'suspend',
      message: `the clock of the gateway's call log is at least ${lengthText(logBehind)} behind: the first call with the new key is stamped that long before the key was created. No key is deleted until the clock is correct; ${advice}`,
    };
  return {
    effect: 'suspend',
    message: `the clock of the gateway is ${lengthText(Math.abs(offset))} ${offset < 0 ? 'behind' : 'ahead of'} the clock of this host (measured ${formatMoment(toSeconds(clock.at), zone)}). No key is deleted until they agree; ${advice}`,
  };
};
