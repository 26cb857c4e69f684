import { minuteMillis, type Clock } from '../core/index.ts';

/** Wrong tokens of one address within a minute. */
const mostOfOne = 10;
/** Wrong tokens of all addresses within a minute, without those of addresses that are blocked. */
const mostOfAll = 100;
/** Addresses that are remembered. */
const mostAddresses = 1000;

/** Limits guesses of a token. */
export type Throttle = {
  /** Whether an attempt of this address is refused without a look at the token. */
  readonly isBlocked: (address: string) => boolean;
  /** Records a wrong token. */
  readonly wrong: (address: string) => void;
};

/**
 * Counts wrong tokens by address and in all, within a minute. An address that is blocked no longer counts in all: alone it cannot
 * lock others out.
 */
export const createThrottle = ({ now }: Pick<Clock, 'now'>): Throttle => {
  /** Moments of wrong tokens, those of the last minute. */
  const byAddress = new Map<string, readonly number[]>();
  let inAll: readonly number[] = [];
  // A clock that was set back forgets nothing that is ahead by less than a minute.
  const recent = (moments: readonly number[]): readonly number[] =>
    moments.filter((moment) => Math.abs(now() - moment) < minuteMillis);
  const isBlocked = (address: string): boolean =>
    recent(byAddress.get(address) ?? []).length >= mostOfOne || recent(inAll).length >= mostOfAll;
  return {
    isBlocked,
    wrong: (address) => {
      if (isBlocked(address)) return;
      inAll = [...recent(inAll), now()];
      const own = [...recent(byAddress.get(address) ?? []), now()];
      // The newest addresses come last.
      byAddress.delete(address);
      byAddress.set(address, own);
      const [oldest] = byAddress.keys();
      if (byAddress.size > mostAddresses && oldest !== undefined) byAddress.delete(oldest);
    },
  };
};
