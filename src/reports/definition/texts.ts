import {
  localeTags,
  nearest,
  parseYaml,
  type LocaleTag,
  type YamlFile,
  type YamlPath,
} from '../../core/index.ts';
import { reportShape, type ReportDefinition, type ReportShape } from './definition.ts';
import { isNotThere, whyUnreadable, type ReadFile, type ReportFault } from './report-file.ts';

/** The keys of report.yaml whose values are shown to readers, at any depth. */
const shownKeys: ReadonlySet<string> = new Set([
  'title',
  'subject',
  'preheader',
  'label',
  'other',
  'empty',
  'text',
]);

/** The key of a map from data values to display names. */
const namesKey = 'names';

const isShown = (key: unknown, parent: unknown): boolean =>
  typeof key === 'string' && (shownKeys.has(key) || parent === namesKey);

type ShownText = { readonly text: string; readonly path: YamlPath };

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shownTexts = (value: unknown, path: YamlPath = []): readonly ShownText[] => {
  const key = path.at(-1);
  if (typeof value === 'string') return isShown(key, path.at(-2)) ? [{ text: value, path }] : [];
  if (Array.isArray(value)) return value.flatMap((item, at) => shownTexts(item, [...path, at]));
  return isMap(value)
    ? Object.entries(value).flatMap(([name, item]) => shownTexts(item, [...path, name]))
    : [];
};

/** The same tree with its displayed texts translated. */
const reworded = (
  value: unknown,
  translations: ReadonlyMap<string, string>,
  key?: string,
  parent?: string,
): unknown => {
  if (typeof value === 'string') return isShown(key, parent) ? (translations.get(value) ?? value) : value;
  if (Array.isArray(value)) return value.map((item) => reworded(item, translations));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, reworded(item, translations, name, key)]),
  );
};

/** The fields of a text without formats: `{spend:money}` is `{spend}`. */
const columnsOf = (text: string): readonly string[] =>
  [...text.matchAll(/\{([^{}:]*)(?::[^{}]*)?\}/g)].map(([, column = '']) => `{${column.trim()}}`);

/** Fields and punctuation alone are the same in every language. */
const hasMessage = (text: string): boolean => /\p{L}/u.test(text.replaceAll(/\{[^{}]*\}/g, ''));

const quote = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 59)}…` : line);
};

type Translation = { readonly shape: ReportShape | undefined; readonly faults: readonly ReportFault[] };

type Source = { readonly file: string; readonly yaml: YamlFile };

/** The valid entries of a translation file, and the faults of the others. */
const entriesOf = (
  { file, yaml }: Source,
  known: readonly string[],
): { readonly translations: ReadonlyMap<string, string>; readonly faults: readonly ReportFault[] } => {
  const translations = new Map<string, string>();
  if (yaml.value !== null && !isMap(yaml.value)) {
    const message = 'must be a map from each text of report.yaml to the same in the other language';
    return { translations, faults: [{ file, ...yaml.positionOf([]), message }] };
  }
  const faults = Object.entries(yaml.value ?? {}).flatMap(([text, translated]): ReportFault[] => {
    if (!known.includes(text)) {
      const meant = nearest(text, known);
      const message = `unknown text ${quote(text)}: report.yaml does not say it`;
      const advice = meant === undefined ? 'remove it' : `did you mean ${quote(meant)}?`;
      return [{ file, ...yaml.positionOfKey([text]), message, advice }];
    }
    if (typeof translated !== 'string' || translated.trim() === '') {
      const message = `${quote(text)} has no text in this language`;
      // The entry already has a fault: it is not reported as missing too.
      translations.set(text, text);
      return [{ file, ...yaml.positionOf([text]), message }];
    }
    translations.set(text, translated);
    return [];
  });
  return { translations, faults };
};

/** Texts of report.yaml that the file lacks, each once, with their position in report.yaml. */
const missingFrom = (
  translations: ReadonlyMap<string, string>,
  shown: readonly ShownText[],
  name: string,
  report: Source,
): readonly ReportFault[] => {
  const seen = new Set<string>();
  return shown.flatMap(({ text, path }) => {
    if (translations.has(text) || seen.has(text) || !hasMessage(text)) return [];
    seen.add(text);
    return [
      {
        file: report.file,
        ...report.yaml.positionOf(path),
        message: `${name} has no words for ${quote(text)}`,
        advice: `add them there, or remove ${name}: the report is then in its own words`,
      },
    ];
  });
};

/** The name of the remainder may contain its count; a sentence has the fields that it has in report.yaml. */
const knownFields = (key: unknown, text: string): ReadonlySet<string> | undefined => {
  if (key === 'other') return new Set(['{count}']);
  return key === 'text' ? new Set(columnsOf(text)) : undefined;
};

const fieldFaults = (
  translations: ReadonlyMap<string, string>,
  shown: readonly ShownText[],
  { file, yaml }: Source,
): readonly ReportFault[] => {
  const seen = new Set<string>();
  return shown.flatMap(({ text, path }) => {
    const translated = translations.get(text);
    const known = knownFields(path.at(-1), text);
    if (translated === undefined || known === undefined || seen.has(text)) return [];
    seen.add(text);
    const at = { file, ...yaml.positionOf([text]) };
    const list = [...known].join(', ');
    const unknown = columnsOf(translated).filter((field) => !known.has(field));
    const isLost = columnsOf(text).includes('{count}') && !columnsOf(translated).includes('{count}');
    return [
      ...unknown.map((field) => ({
        ...at,
        message: `unknown field ${field}; ${list === '' ? 'there are none here' : `known is ${list}`}`,
      })),
      ...(isLost ? [{ ...at, message: '{count} is missing: how many rows it stands for' }] : []),
    ];
  });
};

const translate = (name: string, report: Source, texts: Source): Translation => {
  if (texts.yaml.faults.length > 0)
    return { shape: undefined, faults: texts.yaml.faults.map((fault) => ({ file: texts.file, ...fault })) };
  const shown = shownTexts(report.yaml.value);
  const { translations, faults } = entriesOf(texts, [...new Set(shown.map(({ text }) => text))]);
  const parsed = reportShape.safeParse(reworded(report.yaml.value, translations));
  // Translations are checked by the rules of report.yaml, with faults at their own position.
  const unfit = new Map<string, ReportFault>();
  for (const { path, message } of parsed.error?.issues ?? []) {
    const translated = shown.find((one) => one.path.join('/') === path.join('/'));
    if (translated === undefined) continue;
    const fault = { file: texts.file, ...texts.yaml.positionOf([translated.text]), message };
    unfit.set(`${translated.text}\n${message}`, fault);
  }
  return {
    shape: parsed.data,
    faults: [
      ...faults,
      ...unfit.values(),
      ...fieldFaults(translations, shown, texts),
      ...missingFrom(translations, shown, name, report),
    ],
  };
};

export type LoadedTexts = {
  readonly translations: ReadonlyMap<LocaleTag, ReportShape>;
  readonly faults: readonly ReportFault[];
};

/**
 * Reads the translation files of a valid report.yaml: `texts.zh.yaml` maps each displayed text to its Chinese
 * translation. A language without such a file is not translated. Never rejects.
 */
export const loadTexts = async (folder: string, report: Source, readFile: ReadFile): Promise<LoadedTexts> => {
  const translations = new Map<LocaleTag, ReportShape>();
  const faults: ReportFault[] = [];
  for (const tag of localeTags) {
    const name = `texts.${tag}.yaml`;
    const file = `${folder}/${name}`;
    try {
      const yaml = await parseYaml(await readFile(file));
      const translation = translate(name, report, { file, yaml });
      faults.push(...translation.faults);
      if (translation.shape !== undefined) translations.set(tag, translation.shape);
    } catch (error) {
      if (!isNotThere(error)) faults.push({ file, line: 1, column: 1, message: whyUnreadable(error) });
    }
  }
  return { translations, faults };
};

/** The report in a language; untranslated if it has no such translation. */
export const inLocale = (report: ReportDefinition, tag: LocaleTag): ReportDefinition => ({
  ...report,
  ...report.translations?.get(tag),
});
