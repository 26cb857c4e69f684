/**
 * A text as one word of a POSIX shell, for commands that users copy: others choose key names, and a pasted command must
 * do nothing else.
 */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", `'\\''`)}'`;
