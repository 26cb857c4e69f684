import { expect, it } from 'vitest';
import { renderHtml } from '../../src/reports/render/render-html.ts';
import { withClasses } from '../../src/reports/render/page-styles.ts';
import { busy } from './busy.ts';
import { hostileRows } from './hostile.ts';
import { build } from './sample.ts';

/** Elements in order, with their classes and style apart from other attributes. */
const elementsOf = (html: string) =>
  [...html.matchAll(/<(\w+)((?: [^<>]*)?)>/g)].map(([, name, attributes = '']) => ({
    name,
    classes: (/ class="([^"]*)"/.exec(attributes)?.[1] ?? '').split(' ').filter((one) => one !== ''),
    style: / style="([^"]*)"/.exec(attributes)?.[1] ?? '',
    others: attributes.replaceAll(/ (?:class|style)="[^"]*"/g, ''),
  }));

it('a page has the styles of its mail as classes, each element the same one, and no other part differs', async () => {
  const mail = renderHtml(await build({ rows: hostileRows(), others: busy() }));
  const page = withClasses(mail);
  const [, rules = ''] = /<style>\n([^<]*)\n<\/style>\n/.exec(page) ?? [];
  const styles = new Map(
    rules.split('\n').map((rule) => {
      const [, name = '', style = ''] = /^\.(s\d+)\{(.*)\}$/.exec(rule) ?? [];
      return [name, style];
    }),
  );
  expect(styles.size).toBeGreaterThan(5);
  const inlined = elementsOf(page.replace(`<style>\n${rules}\n</style>\n`, '')).map((element) => {
    const [moved] = element.classes.filter((name) => styles.has(name));
    const classes = element.classes.filter((name) => name !== moved);
    return moved === undefined ? element : { ...element, classes, style: styles.get(moved) ?? '' };
  });
  expect(inlined).toEqual(elementsOf(mail));
  const texts = (html: string) =>
    html.replaceAll(/<style>[^<]*<\/style>\s*/g, '').replaceAll(/<[^<>]*>/g, '|');
  expect(texts(page)).toBe(texts(mail));
  expect(page.length).toBeLessThan(mail.length);
});

it('a page without repeated styles is left as it is', () => {
  const html = '<head><style>a{}</style></head><p style="padding:1px;color:#123456;margin:0">text</p>';
  expect(withClasses(html)).toBe(html);
});
