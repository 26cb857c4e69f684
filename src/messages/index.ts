export { keyText } from './key-texts.ts';
export { linesOf } from './mail-texts.ts';
export type { Advice, Locale, Messages, OpenReason } from './locale.ts';
export { countsText, endText, skippedText } from './en/plans.ts';
export type { LearnedFinding, WriteFinding } from './outage-texts.ts';
export type { PlanCounts, PlanFacts } from './plan-texts.ts';
export { localeOf, runNotes } from './locales.ts';
export * from './format.ts';
