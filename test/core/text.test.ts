import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { isolateNames, shellWord, trimEndOf, trimOf } from '../../src/core/index.ts';
import { parseYaml } from '../../src/core/yaml.ts';

it.each(['billing', 'growth-mail.g2', 'a/b:c@d,e%f+1=2'])('%s is not quoted', (text) => {
  expect(shellWord(text)).toBe(text);
});

it('any text becomes one word of a shell', () => {
  const texts = [
    '',
    ' ',
    '-rf',
    "o'neill",
    '$(echo no)',
    '`echo no`',
    'a; echo no',
    '"',
    "'; echo no; '",
    '*',
    '\\',
    '!!',
    'a\nb',
    '生产',
  ];
  const script = `printf '%s\\0' ${texts.map(shellWord).join(' ')}`;
  expect(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(
    texts,
  );
});

const text = fc.string({ unit: fc.constantFrom('/', '-', ' ', 'a', 'b/') });

it('a trimmed text is what a pattern would leave', () => {
  fc.assert(
    fc.property(text, (one) => {
      expect(trimEndOf(one, '/-')).toBe(one.replace(/[/-]+$/, ''));
      expect(trimOf(one, '/-')).toBe(one.replace(/^[/-]+/, '').replace(/[/-]+$/, ''));
    }),
  );
});

const read = (text: string, encoding: 'latin1' | 'utf16le' | 'utf8'): string =>
  Buffer.from(text, encoding).toString('utf8');

it('a text in UTF-16 or Latin-1 is one fault with its position, and has no value', () => {
  expect(parseYaml(read('\ufeffa: ü\n', 'utf16le'))).toMatchObject({
    value: null,
    faults: [{ line: 1, column: 1, message: expect.stringContaining('UTF-16') as string }],
  });
  expect(parseYaml(read('a: 1\nb: ü\n', 'latin1')).faults).toMatchObject([
    { line: 2, column: 4, message: expect.stringContaining('is not UTF-8 here') as string },
  ]);
});

it('a text in UTF-8 is read completely, and a single NUL is reported with its position', () => {
  expect(parseYaml(read('a: ü 中文\n', 'utf8'))).toMatchObject({ value: { a: 'ü 中文' }, faults: [] });
  expect(parseYaml(`a: ${'x'.repeat(300)}\nb: y\0\n`).faults).toMatchObject([{ line: 2, column: 5 }]);
});

it('a duplicate key is reported with the line of its first occurrence', () => {
  expect(parseYaml('a:\n  b: 1\n  c: 2\n  "b": 3\n').faults).toMatchObject([
    { line: 4, column: 3, duplicate: { key: 'b', firstLine: 2 } },
  ]);
});

it('an unclosed list, map or quoted text is reported with the position where it starts', () => {
  expect(parseYaml('a:\n  b: [1, [2]\nc: 1\n').faults[0]).toMatchObject({ opened: { line: 2, column: 6 } });
  expect(parseYaml("a: 'x\nb: 1\n").faults[0]).toMatchObject({ opened: { line: 1, column: 4 } });
});

describe('words from right to left', () => {
  const [start, end] = ['\u2068', '\u2069'];

  it.each([
    ['Budget team-قسم: $1.73, 17281% of $1', `Budget team-${start}قسم${end}: $1.73, 17281% of $1`],
    ['مشروع ٢ and מחקר-א', `${start}مشروع ٢${end} and ${start}מחקר-א${end}`],
    ['研发部, Équipe: 12', '研发部, Équipe: 12'],
    ['', ''],
  ])('are isolated from the figures beside them, once: %j', (text, isolated) => {
    expect(isolateNames(text)).toBe(isolated);
    expect(isolateNames(isolated)).toBe(isolated);
  });

  it('leave any text as it is without the isolates', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!/[\u2068\u2069]/.test(text));
        expect(isolateNames(text).replaceAll(/[\u2068\u2069]/g, '')).toBe(text);
      }),
    );
  });
});
