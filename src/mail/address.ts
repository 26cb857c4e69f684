import addressparser from 'nodemailer/lib/addressparser';

/** One mailbox: `name` is empty where none was given. */
export type Mailbox = { readonly name: string; readonly address: string };

const plain = /^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u;

/** Header text on one line: what could end a header, and half characters, are taken out. */
export const oneLine = (text: string): string =>
  Buffer.from(text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' '), 'utf8')
    .toString('utf8')
    .trim();

/** Reads `ops@example.com` or `Operations <ops@example.com>`; nothing when it is not exactly one address. */
export const parseMailbox = (text: string): Mailbox | undefined => {
  if (/[\r\n\0]/.test(text)) return undefined;
  const [only, ...more] = addressparser(text);
  if (only?.address === undefined || more.length > 0 || !plain.test(only.address)) return undefined;
  return { name: oneLine(only.name), address: only.address };
};
