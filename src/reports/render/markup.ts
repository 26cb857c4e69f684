/** Text that is HTML already. Only `markup` and `trusted` make it. */
export type Html = { readonly html: string };

type Part = string | number | Html | readonly Html[] | undefined;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

const written = (part: Part): string => {
  if (part === undefined) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return 'html' in part ? part.html : part.map(({ html }) => html).join('');
};

/** For text of our own that is markup or CSS; never for anything that came from outside. */
export const trusted = (markup: string): Html => ({ html: markup });

/** Escapes every value put into it, in text and in quoted attributes alike. */
export const markup = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  trusted(texts.map((text, at) => text + written(parts[at])).join(''));
