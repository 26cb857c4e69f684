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

/** A mail as an approved file shows it. */
export const mailText = (mail: {
  readonly subject?: string | undefined;
  readonly text?: string | undefined;
}) => `Subject: ${mail.subject ?? ''}\n\n${(mail.text ?? '').trimEnd()}`;
