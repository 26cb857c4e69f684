const mailbox =
  /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)*[\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;
const named = /^(?:"([^"\\\p{Cc}]*)" *|([^<>"@,;:\\\p{Cc}]*))<([^<>]+)>$/u;

/** `ops@example.com`, or with a display name: `Operations <ops@example.com>`. One address, no lists, no comments. */
export const isAddress = (text: string): boolean => {
  if (text.length > 320) return false;
  return mailbox.test(named.exec(text)?.[3] ?? text);
};
