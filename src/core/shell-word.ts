/**
 * A text as one word of a POSIX shell, for commands that people are told to run: names of keys are chosen by others, and
 * what is pasted must do nothing else.
 */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", `'\\''`)}'`;
