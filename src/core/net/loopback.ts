/**
 * Whether a host, as an address or as `URL.hostname` writes it, is the local machine, so that requests do not cross a network:
 * 127.0.0.0/8, ::1, localhost and the names below it (RFC 6761).
 */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  host === '::1' ||
  /^127(\.\d{1,3}){3}$/.test(host);
