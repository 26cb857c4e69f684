import { expect, it } from 'vitest';
import { addressesIn, isAddressRange, isPrivateAddress } from '../../src/core/index.ts';
import { mayFollow } from '../../src/gateway/index.ts';
import { parseBaseUrl } from '../../src/gateway/base-url.ts';

it.each([
  '10.0.0.5',
  '100.64.1.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.1.1',
  '0.0.0.0',
  '255.255.255.255',
  '::1',
  '::',
  '::ffff:10.0.0.5',
  '::ffff:a9fe:a9fe',
  'fd00:ec2::254',
  'fe80::1',
  '64:ff9b::a00:5',
])('the address %s is private', (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8', 'example.com', ''])(
  'the address %s is not private',
  (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  },
);

it('a text that is no range holds no address', () => {
  const texts = ['10.0.0.0/33', '10.0.0.0/8/8', 'fd00::/129', 'name', '10.0.0.0/x', ''];
  expect(texts.map(isAddressRange)).toEqual(texts.map(() => false));
  expect(addressesIn(texts)('10.0.0.1')).toBe(false);
});

it('a link of an answer leads to private addresses only if that is allowed, and to this machine if the gateway is on it', () => {
  const follows = (gateway: string, allowPrivate: boolean) => {
    const base = { base: parseBaseUrl(gateway) };
    return ['8.8.8.8', '10.0.0.5', '127.0.0.1', '169.254.169.254'].map(mayFollow(base, allowPrivate));
  };
  expect(follows('https://gateway.example.com', false)).toEqual([true, false, false, false]);
  expect(follows('http://127.0.0.1:8787', false)).toEqual([true, false, true, false]);
  expect(follows('https://gateway.example.com', true)).toEqual([true, true, true, true]);
});
