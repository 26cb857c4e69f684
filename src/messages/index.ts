export { reasonText, type Reserve } from './alert-texts.ts';
export { linesOf } from './mail-texts.ts';
export type { Advice, Locale, Messages, OpenReason } from './locale.ts';
export { localeOf, runNotes } from './locales.ts';
export * from './format.ts';
