import type { LocaleTag } from '../../core/index.ts';

const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

const sentences: Readonly<Record<LocaleTag, (names: string, size: string, where: string) => string>> = {
  en: (names, size, where) =>
    `The files of this report (${names}; ${size}) are too large to be attached. They are kept in ${where}`,
  de: (names, size, where) =>
    `Die Dateien dieses Berichts (${names}; ${size.replace('.', ',')}) sind zu groß, um angehängt zu werden. Sie liegen unter ${where}`,
  zh: (names, size, where) => `本报告的文件（${names}；${size}）过大，无法作为附件发送。文件保存在 ${where}`,
};

/** What a mail says of files that are too large for it. */
export const filesElsewhere = (
  locale: LocaleTag,
  formats: readonly string[],
  bytes: number,
  where: string,
): string =>
  sentences[locale](formats.map((format) => format.toUpperCase()).join(', '), sizeOf(bytes), where);
