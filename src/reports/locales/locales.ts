import type { LocaleTag } from '../../core/index.ts';
import { chinese } from './locale-zh.ts';
import { english } from './locale-en.ts';
import { german } from './locale-de.ts';
import type { Locale } from './locale.ts';

const locales: Readonly<Record<LocaleTag, Locale>> = { en: english, de: german, zh: chinese };

export const localeOf = (tag: LocaleTag): Locale => locales[tag];
