import { posix } from 'node:path';
import type { Texts } from './texts.ts';

const withoutCode = (markdown: string): string =>
  markdown.replaceAll(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, '').replaceAll(/`[^`\n]+`/g, '');

const targetsOf = (markdown: string): readonly string[] =>
  [/\]\(<?([^)\s>]+)/g, /^\[[^\]]+\]:\s+<?([^\s>]+)/gm, /\b(?:src|href)="([^"]+)"/g].flatMap((pattern) =>
    [...withoutCode(markdown).matchAll(pattern)].map((match) => match[1] ?? ''),
  );

/** Anchors of a page as GitHub makes them: of its headings, and those that are written out. */
const anchorsOf = (markdown: string): ReadonlySet<string> => {
  const anchors = new Set<string>();
  for (const [, heading = ''] of markdown
    .replaceAll(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, '')
    .matchAll(/^#{1,6} +(.*?)[ #]*$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  for (const [, id = ''] of markdown.matchAll(/\b(?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
};

const isThere = (paths: ReadonlySet<string>, path: string): boolean =>
  path === '.' ||
  paths.has(path) ||
  [...paths].some((other) => other.startsWith(path.endsWith('/') ? path : `${path}/`));

/** Relative links of Markdown pages that lead nowhere, to a file or to a heading. Pure. */
export const brokenLinks = (pages: Texts, paths: ReadonlySet<string>): readonly string[] =>
  [...pages].flatMap(([page, markdown]) =>
    targetsOf(markdown)
      .filter((target) => !/^([a-z][a-z\d+.-]*:|\/\/)/i.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const path = file === '' ? page : posix.join(posix.dirname(page), decodeURI(file));
        if (file.startsWith('/') || !isThere(paths, path)) return true;
        const text = pages.get(path);
        return anchor !== undefined && text !== undefined && !anchorsOf(text).has(decodeURI(anchor));
      })
      .map((target) => `${page}: ${target}`),
  );

/** A folder beside the repository, by a relative or an absolute path. */
const outside = /(?:\.\.|\/\w+)\/shared\b/g;

/** Texts that name a folder beside the repository, or a Markdown file that is not in it. Pure. */
export const outsideNames = (texts: Texts, paths: ReadonlySet<string>): readonly string[] =>
  [...texts].flatMap(([path, text]) => {
    const local = text.replaceAll(/\bhttps?:\/\/\S+/g, '');
    const pages = [...local.matchAll(/[\w./-]*[\w-]\.md\b/g)].filter(
      ([name]) => !paths.has(posix.normalize(name)) && !paths.has(posix.join(posix.dirname(path), name)),
    );
    return [...local.matchAll(outside), ...pages].map(([name]) => `${path}: ${name}`);
  });

/** Terms of docs/glossary.md that are explained twice, or not in alphabetical order. Pure. */
export const misplacedTerms = (glossary: string): readonly string[] => {
  const terms = [...glossary.matchAll(/^\*\*`?([^*`]+)`?\*\*:/gm)].map(([, term = '']) => term.toLowerCase());
  return terms.filter((term, index) => index > 0 && term <= (terms[index - 1] ?? ''));
};
