/** Letters of Arabic, Hebrew and other scripts that are written from right to left. */
const letters = String.raw`\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFE\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}`;

/** Runs of such words, and those that are isolated already. */
const runs = new RegExp(
  String.raw`\u2068[^\u2068\u2069]*\u2069|[${letters}](?:[${letters}\p{M}]|[ ._'’-]+(?=[${letters}]))*`,
  'gu',
);

const has = new RegExp(`[${letters}]`, 'u');

/** A text that may have been copied from one with isolated words. */
export const withoutIsolates = (text: string): string => text.replaceAll(/[\u2068\u2069]/g, '');

/**
 * A text whose words from right to left are isolated (Unicode TR9). Without it, a name such as قسم reverses the figures that follow it: the reader
 * would see another amount. Pure; isolating twice changes nothing.
 */
export const isolateNames = (text: string): string =>
  has.test(text)
    ? text.replaceAll(runs, (run) => (run.startsWith('\u2068') ? run : `\u2068${run}\u2069`))
    : text;
