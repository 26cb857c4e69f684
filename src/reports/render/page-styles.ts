/** Fewer or shorter ones cost as much as their class. */
const least = { times: 4, length: 24 };

const tagWithStyle = /<(\w+)((?: [^<>]*)?) style="([^"<>&]*)"([^<>]*)>/g;

/**
 * The HTML of a report with its repeated inline styles as classes. Only for pages: browsers apply classes everywhere, mail clients do
 * not. Half of a report of many rows are such styles.
 */
export const withClasses = (html: string): string => {
  const times = new Map<string, number>();
  for (const [, , , style = ''] of html.matchAll(tagWithStyle)) times.set(style, (times.get(style) ?? 0) + 1);
  const repeated = [...times].filter(
    ([style, count]) => count >= least.times && style.length >= least.length,
  );
  const names = new Map(repeated.map(([style], at) => [style, `s${at}`]));
  const moved = html.replaceAll(
    tagWithStyle,
    (tag: string, element: string, before: string, style: string, after: string) => {
      const name = names.get(style);
      if (name === undefined) return tag;
      const attributes = `${before}${after}`;
      const classed = attributes.includes(' class="')
        ? attributes.replace(' class="', ` class="${name} `)
        : ` class="${name}"${attributes}`;
      return `<${element}${classed}>`;
    },
  );
  const rules = [...names].map(([style, name]) => `.${name}{${style}}`).join('\n');
  return rules === '' ? html : moved.replace('<style>', () => `<style>\n${rules}\n</style>\n<style>`);
};
