import type { LocaleTag } from '../../../../core/index.ts';
import type { Locale } from '../../../../messages/index.ts';
import { german } from './texts.de.ts';
import { english } from './texts.en.ts';
import { chinese } from './texts.zh.ts';
import type { UnusualTexts } from './texts.ts';

const languages: Readonly<Record<LocaleTag, UnusualTexts>> = { en: english, de: german, zh: chinese };

export const textsIn = ({ tag }: Pick<Locale, 'tag'>): UnusualTexts => languages[tag];
