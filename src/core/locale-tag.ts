/** Languages that reports are written in: how figures and dates look, and the words of the program. */
export const localeTags = ['en', 'de', 'zh'] as const;

export type LocaleTag = (typeof localeTags)[number];
