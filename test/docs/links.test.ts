import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { brokenLinks, misplacedTerms, outsideNames } from './links.ts';
import { pathsOf, readTexts } from './texts.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const paths = pathsOf(root);
const read = (wanted: (path: string) => boolean) => readTexts(root, paths, wanted);

const pages = read((path) => /^(docs\/.*|\.github\/.*|[^/]+)\.md$/.test(path));

// Names are put together here, so that this file is no violation itself.
const page = (name: string): string => [name, 'md'].join('.');
const [one, other, missingPage] = [page('docs/one'), page('docs/other'), page('missing')];

describe('links of the documentation', () => {
  it('resolve to a file and a heading of it', () => {
    expect([...pages.keys()]).toEqual(
      expect.arrayContaining(['README', 'CONTRIBUTING', 'CHANGELOG', 'SECURITY', 'docs/gateway'].map(page)),
    );
    expect(brokenLinks(pages, paths)).toEqual([]);
  });

  it.each([
    ['a file that is missing', '[a](other.txt)'],
    ['a file that is missing, as an image', '<img src="other.png">'],
    ['a file that is missing, in a definition', '[a]: ./other.txt'],
    ['a file that is missing, behind an image', '[![a](here.txt)](other.txt)'],
    ['an address from the root of a machine', '[a](/docs/here.txt)'],
    ['a heading that is missing', '[a](#other)'],
    ['a heading that another page lacks', `[a](${page('other')}#other)`],
    ['the second heading of a name that there is once', '[a](#a-heading-1)'],
  ])('are reported for a link to %s', (_, markdown) => {
    const planted = new Map([
      [one, `# A heading\n\n${markdown}\n`],
      [other, '# A page\n'],
    ]);
    expect(brokenLinks(planted, new Set([...planted.keys(), 'docs/here.txt']))).toHaveLength(1);
  });

  it('are accepted to files, folders, headings and other hosts, and ignored in code', () => {
    const planted = new Map([
      [
        one,
        [
          '## A `heading`, twice',
          '## A `heading`, twice',
          '<a id="own"></a>',
          `[a](${page('other')}#a-page) [b](../src) [c](../src/) [d](#a-heading-twice-1) [e](#own) [f](https://example.com/x#y)`,
          '[g](mailto:a@example.com) `[h](other.txt)`',
          '```',
          '[i](other.txt)',
          '```',
        ].join('\n\n'),
      ],
      [other, '# A page\n'],
    ]);
    expect(brokenLinks(planted, new Set([...planted.keys(), 'src/main.ts']))).toEqual([]);
  });
});

describe('the glossary', () => {
  it('explains each term once, in alphabetical order', () => {
    const glossary = pages.get('docs/glossary.md') ?? '';
    expect(glossary).toContain('**watermark**:');
    expect(misplacedTerms(glossary)).toEqual([]);
  });

  it('is reported for a term out of order or explained twice', () => {
    expect(misplacedTerms('**b**: one\n\n**a**: two\n\n**C**: three\n\n**c**: four\n')).toEqual(['a', 'c']);
  });
});

describe('a repository that stands alone', () => {
  it('has no text that names a folder beside it or a missing page', () => {
    expect(
      outsideNames(
        read(() => true),
        paths,
      ),
    ).toEqual([]);
  });

  it.each([
    ['a folder beside the repository', ['..', 'shared', 'tool'].join('/')],
    ['a page that is missing', `see ${missingPage}, Limits`],
    ['a page that is missing in a folder', `see docs/${missingPage}`],
  ])('is reported for a text that names %s', (_, text) => {
    const planted = new Map([['src/planted.ts', `// ${text}`]]);
    expect(outsideNames(planted, paths)).toHaveLength(1);
  });

  it('may refer to pages of the repository and of other hosts', () => {
    const names = ['docs/gateway', 'gateway', '../README', 'README', 'https://example.com/other'].map(page);
    expect(outsideNames(new Map([[other, names.join(', ')]]), paths)).toEqual([]);
  });
});
