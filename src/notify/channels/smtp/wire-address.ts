import { domainToASCII } from 'node:url';

/** An address as SMTP takes it everywhere: its domain in ASCII (`xn--…`). The part before the @ has no such form. */
export const wireAddress = (address: string): string => {
  const at = address.lastIndexOf('@');
  const domain = domainToASCII(address.slice(at + 1));
  return at < 0 || domain === '' ? address : `${address.slice(0, at)}@${domain}`;
};
