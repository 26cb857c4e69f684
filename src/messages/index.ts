export type { Advice, Locale, Messages, OpenReason } from './locale.ts';
export { localeOf, runNotes } from './locales.ts';
export * from './format.ts';
