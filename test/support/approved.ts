import { fileURLToPath } from 'node:url';
import type { LocaleTag } from '../../src/core/index.ts';

const asserted = new Set<string>();

/**
 * The path of an approved file, `test/approved/<language>/<area>.txt`, for `toMatchFileSnapshot`. It holds texts that people read, word for
 * word; `npm run approve` writes it. A file is asserted by one test and once: of two, the second would overwrite what the first wrote.
 */
export const approved = (area: string, language: LocaleTag = 'en'): string => {
  const name = `${language}/${area}.txt`;
  if (asserted.has(name))
    throw new Error(`test/approved/${name} is asserted twice: give each test an area of its own`);
  asserted.add(name);
  return fileURLToPath(new URL(`../approved/${name}`, import.meta.url));
};

/** Texts below their titles, as one approved file. */
export const titled = (texts: Iterable<readonly [title: string, text: string]>): string =>
  [...texts].map(([title, text]) => `=== ${title}\n${text.trimEnd()}\n`).join('\n');

/** The text of each row below its name, as one approved file. @throws Error for a row without a text, such as a fault that is not found */
export const titledEach = async <Row extends readonly [name: string, ...unknown[]]>(
  rows: readonly Row[],
  textOf: (row: Row) => Promise<string>,
): Promise<string> => {
  const texts: [name: string, text: string][] = [];
  for (const row of rows) {
    const text = await textOf(row);
    if (text === '') throw new Error(`${row[0]} has no text`);
    texts.push([row[0], text]);
  }
  return titled(texts);
};

/** A mail as an approved file shows it. */
export const mailText = (mail: {
  readonly subject?: string | undefined;
  readonly text?: string | undefined;
}) => `Subject: ${mail.subject ?? ''}\n\n${(mail.text ?? '').trimEnd()}`;
