import type { LocaleTag } from '../core/index.ts';
import { german } from './de/locale.ts';
import { germanRunMessages } from './de/run-notes.ts';
import { english } from './en/locale.ts';
import { englishRunNotes } from './en/run-notes.ts';
import type { Locale } from './locale.ts';
import { notesFrom, type RunNotes } from './run-notes.ts';
import { chinese } from './zh/locale.ts';
import { chineseRunMessages } from './zh/run-notes.ts';

/** What each language consists of: one folder. */
const languages: Readonly<
  Record<LocaleTag, { readonly locale: Locale; readonly runNotes: (zone: string) => RunNotes }>
> = {
  en: { locale: english, runNotes: englishRunNotes },
  de: { locale: german, runNotes: (zone) => notesFrom(germanRunMessages, zone, german) },
  zh: { locale: chinese, runNotes: (zone) => notesFrom(chineseRunMessages, zone, chinese) },
};

export const localeOf = (tag: LocaleTag): Locale => languages[tag].locale;

/** The notes of a run about its data, in a language; moments are shown in the zone. */
export const runNotes = (tag: LocaleTag, zone: string): RunNotes => languages[tag].runNotes(zone);
