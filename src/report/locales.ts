import { english } from './locale-en.ts';
import type { Locale } from './locale.ts';

export type LocaleTag = 'en';

const locales: Readonly<Record<LocaleTag, Locale>> = { en: english };

export const localeOf = (tag: LocaleTag): Locale => locales[tag];
