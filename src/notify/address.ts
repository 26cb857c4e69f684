/** `name` is empty when none was given. */
export type Mailbox = { readonly name: string; readonly address: string };

const plain =
  /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)*[\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;
const named = /^(?:"([^"\\\p{Cc}]*)" *|([^<>"@,;:\\\p{Cc}]*))<([^<>]+)>$/u;

/** Header text on one line, without line ends and unpaired surrogates, which could end or break a header. */
export const oneLine = (text: string): string =>
  Buffer.from(text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' '), 'utf8')
    .toString('utf8')
    .trim();

/** Parses `ops@example.com` or `Operations <ops@example.com>`; undefined unless it is exactly one address. */
export const parseMailbox = (text: string): Mailbox | undefined => {
  if (text.length > 320) return undefined;
  const [, quoted, bare, inner] = named.exec(text) ?? [];
  const address = inner ?? text;
  if (!plain.test(address)) return undefined;
  return { name: (quoted ?? bare ?? '').trim(), address };
};
