/** Languages of reports: the format of figures and dates, and the texts of the program. */
export const localeTags = ['en', 'de', 'zh'] as const;

export type LocaleTag = (typeof localeTags)[number];
