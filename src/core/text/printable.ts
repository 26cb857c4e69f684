/**
 * Controls (C0 and C1, without tab and line ends) and turns of direction: a terminal interprets them, whoever wrote them.
 */
const unsafe = /(?!\r\n|[\t\n])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The text with `\u009b` in place of such a character, which is the same character where the text is JSON. */
export const printable = (text: string): string => text.replaceAll(unsafe, escaped);
