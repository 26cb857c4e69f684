/**
 * Controls (C0 and C1, without tab and line ends) and turns of direction: a terminal obeys them, whoever wrote them.
 */
const unsafe = /(?!\r\n)[\0-\x08\x0B-\x1F\x7F-\x9F\u202A-\u202E\u2066-\u2069]/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The text with `\u009b` in place of such a character, which is the same character where the text is JSON. */
export const printable = (text: string): string => text.replaceAll(unsafe, escaped);
