import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../../../http/index.ts';

const own = new BlockList();
own.addSubnet('10.0.0.0', 8, 'ipv4');
own.addSubnet('172.16.0.0', 12, 'ipv4');
own.addSubnet('192.168.0.0', 16, 'ipv4');
own.addSubnet('169.254.0.0', 16, 'ipv4');
own.addSubnet('fc00::', 7, 'ipv6');
own.addSubnet('fe80::', 10, 'ipv6');

/** Names that no public name server answers for: without a dot (of a Compose file), or kept for own networks. */
const ownName = /^[^.]+$|\.(?:local|internal|lan|home\.arpa|localhost)$/i;

/**
 * Whether a host lies, by its address or name alone, on this machine or in a network of one's own: RFC 1918, RFC 4193,
 * link-local, or a name that is not public. Nothing is looked up.
 */
export const isPrivateHost = (host: string): boolean => {
  if (isLoopback(host)) return true;
  const version = isIP(host);
  return version === 0 ? ownName.test(host) : own.check(host, version === 6 ? 'ipv6' : 'ipv4');
};
