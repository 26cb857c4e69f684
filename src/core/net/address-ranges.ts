import { BlockList, isIP } from 'node:net';

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** `10.0.0.5`, `10.0.0.0/8`, `fd00::/8`. */
export const isAddressRange = (text: string): boolean => {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32));
};

/**
 * Whether an address lies in one of the ranges; texts that are none hold nothing, and names are not resolved. An IPv4
 * client of a socket that also serves IPv6 has an address such as ::ffff:10.0.0.1, which counts as 10.0.0.1.
 */
export const addressesIn = (ranges: readonly string[]): ((address: string) => boolean) => {
  const list = new BlockList();
  for (const text of ranges.filter(isAddressRange)) {
    const [address = '', prefix] = text.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
};

/** Whether an address is not one of the public internet: private, shared, link-local, loopback, reserved or multicast. */
export const isPrivateAddress = addressesIn([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
  '::/127',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);
