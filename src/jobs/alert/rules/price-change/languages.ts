import type { LocaleTag } from '../../../../core/index.ts';
import type { Locale } from '../../../../messages/index.ts';
import { german } from './texts.de.ts';
import { english } from './texts.en.ts';
import { chinese } from './texts.zh.ts';
import type { PriceTexts } from './texts.ts';

const languages: Readonly<Record<LocaleTag, PriceTexts>> = { en: english, de: german, zh: chinese };

export const textsIn = ({ tag }: Pick<Locale, 'tag'>): PriceTexts => languages[tag];
