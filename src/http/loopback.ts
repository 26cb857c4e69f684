/** Whether the host name, as `URL.hostname` writes it, is the local machine: 127.0.0.0/8, ::1 or localhost. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname === '[::1]' ||
  hostname === '::1' ||
  /^127(\.\d{1,3}){3}$/.test(hostname);
