/** An element of parsed HTML. */
export type Element = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (Element | string)[];
};

type Open = { name: string; attributes: Map<string, string>; children: (Element | string)[] };

const voids = new Set(['meta', 'img', 'br']);
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: '\u00A0',
  zwnj: '\u200C',
};

export const unescapeHtml = (text: string): string =>
  text.replaceAll(/&(#\d+|\w+);|&/g, (whole, entity: string | undefined) => {
    if (entity === undefined) throw new Error('a bare & in the HTML');
    if (entity.startsWith('#')) return String.fromCodePoint(Number(entity.slice(1)));
    const known = named[entity];
    if (known === undefined) throw new Error(`unknown entity ${whole}`);
    return known;
  });

/** Reads HTML strictly: every attribute quoted, every element closed in order, no unescaped `<`, `>` or `&`. */
export const parseHtml = (source: string): Element => {
  const root: Open = { name: '#root', attributes: new Map(), children: [] };
  const stack: Open[] = [root];
  const token =
    /<!DOCTYPE html>|<!--[\s\S]*?-->|<style>([^<]*)<\/style>|<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+="[^"<>]*")*)>|([^<>]+)/gy;
  let at = 0;
  for (; at < source.length; at = token.lastIndex) {
    token.lastIndex = at;
    const match = token.exec(source);
    if (match === null) throw new Error(`not well-formed at ${at}: ${source.slice(at, at + 80)}`);
    const [, , closes, name, attributes = '', text] = match;
    const top = stack.at(-1) ?? root;
    if (text !== undefined) top.children.push(unescapeHtml(text));
    if (name === undefined) continue;
    if (closes === '/') {
      if (stack.pop()?.name !== name) throw new Error(`</${name}> closes another element at ${at}`);
      continue;
    }
    const element: Open = { name, attributes: new Map(), children: [] };
    for (const [, key = '', value = ''] of attributes.matchAll(/([a-z-]+)="([^"]*)"/g))
      element.attributes.set(key, unescapeHtml(value));
    top.children.push(element);
    if (!voids.has(name)) stack.push(element);
  }
  if (stack.length !== 1) throw new Error(`<${stack.at(-1)?.name}> is never closed`);
  return root;
};

export const textOf = (node: Element | string): string =>
  typeof node === 'string' ? node : node.children.map(textOf).join('');

export const all = (node: Element, name: string): Element[] =>
  node.children.flatMap((child) =>
    typeof child === 'string' ? [] : [...(child.name === name ? [child] : []), ...all(child, name)],
  );

/** The data tables under their headings: the texts of all cells but swatches and bars. */
export const tablesOf = (root: Element): ReadonlyMap<string, readonly (readonly string[])[]> => {
  const found = new Map<string, string[][]>();
  for (const cell of all(root, 'td')) {
    const [heading, table] = [
      cell.children.find((child) => typeof child !== 'string' && child.name === 'h2'),
      cell.children.find((child) => typeof child !== 'string' && child.attributes.get('role') === 'table'),
    ];
    if (heading === undefined || table === undefined || typeof table === 'string') continue;
    const rows = table.children.flatMap((row) => {
      if (typeof row === 'string') return [];
      const cells = row.children.filter((child) => typeof child !== 'string');
      return [
        cells
          .filter(
            ({ attributes }) =>
              attributes.get('width') !== '20' && !(attributes.get('class') ?? '').includes('br'),
          )
          .map((child) => textOf(child).trim()),
      ];
    });
    found.set(textOf(heading).trim(), rows);
  }
  return found;
};
