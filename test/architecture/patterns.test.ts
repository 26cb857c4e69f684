import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { analyse } from 'scslre';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../src/', import.meta.url));

type Pattern = { readonly pattern: string; readonly flags: string };

/** Every pattern in the syntax tree of a file. */
const patternsIn = (node: unknown): readonly Pattern[] => {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(patternsIn);
  const { type, regex } = node as { type?: unknown; regex?: Pattern };
  if (type === 'Literal' && regex !== undefined) return [regex];
  return Object.values(node).flatMap(patternsIn);
};

/** The patterns of a TypeScript text whose time can grow faster than the text that they are matched with. */
const slowPatterns = (name: string, text: string): readonly string[] =>
  patternsIn(parseSync(name, text).program).flatMap(({ pattern, flags }) =>
    analyse({ source: pattern, flags: flags.replace('v', 'u') }).reports.length === 0
      ? []
      : [`${name}: /${pattern}/`],
  );

it('every pattern in src takes time in proportion to the text', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((file) => slowPatterns(file, readFileSync(root + file, 'utf8')))).toEqual([]);
});

it.each(['/<[^>]*>/', '/(a+)+$/', '/\\s+$/', '/^(\\d+\\.?\\d*)x/'])(
  'a pattern that can backtrack is found: %s',
  (pattern) => {
    expect(slowPatterns('planted.ts', `export const planted: RegExp = ${pattern};`)).toHaveLength(1);
  },
);
