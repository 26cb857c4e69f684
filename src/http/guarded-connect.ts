import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { networkProblem } from './problem.ts';

/** Whether a connection may be made to an IP address. */
export type MayReach = (address: string) => boolean;

const refused = (host: string, address: string): Error =>
  networkProblem('unreachable', `${host} is not requested: ${address} is a private address`);

const textOf = (found: string | readonly LookupAddress[]): readonly string[] =>
  typeof found === 'string' ? [found] : found.map(({ address }) => address);

/** Resolves a name, unless it has an address that may not be reached: which of several is connected is not known yet. */
const guardedLookup =
  (mayReach: MayReach): LookupFunction =>
  (host, options, done) => {
    lookup(host, options, (error, found, family) => {
      const wrong = error === null ? textOf(found).find((address) => !mayReach(address)) : undefined;
      if (wrong === undefined) done(error, found, family);
      else done(refused(host, wrong), []);
    });
  };

/** A connector that connects only to addresses that may be reached, whichever name leads to them. */
export const guardedConnect = (
  build: typeof buildConnector,
  options: buildConnector.BuildOptions,
  mayReach: MayReach,
): buildConnector.connector => {
  const connect = build({ ...options, lookup: guardedLookup(mayReach) });
  return (asked, done) => {
    const address = asked.hostname.replace(/^\[(.*)\]$/, '$1');
    // An address is connected without a lookup.
    if (isIP(address) !== 0 && !mayReach(address)) done(refused(asked.host ?? address, address), null);
    else connect(asked, done);
  };
};
