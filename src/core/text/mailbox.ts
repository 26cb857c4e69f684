/** `name` is empty when none was given. */
export type Mailbox = { readonly name: string; readonly address: string };

const plain =
  /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)*[\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;
const named = /^(?:"([^"\\\p{Cc}]*)" *|([^<>"@,;:\\\p{Cc}]*))<([^<>]+)>$/u;

/** Parses `ops@example.com` or `Operations <ops@example.com>`; undefined unless it is exactly one address. */
export const parseMailbox = (text: string): Mailbox | undefined => {
  if (text.length > 320) return undefined;
  const [, quoted, bare, inner] = named.exec(text) ?? [];
  const address = inner ?? text;
  if (!plain.test(address)) return undefined;
  return { name: (quoted ?? bare ?? '').trim(), address };
};
