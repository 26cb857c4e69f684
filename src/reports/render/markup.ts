/** Text that is already HTML. Only `markup` and `trusted` create it. */
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

/** For built-in markup or CSS; never for external text. */
export const trusted = (markup: string): Html => ({ html: markup });

/** Escapes every inserted value, for text and quoted attributes alike. */
export const markup = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  trusted(texts.map((text, at) => text + written(parts[at])).join(''));
