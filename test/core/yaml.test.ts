import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/core/yaml.ts';
import type { Position, YamlPath } from '../../src/core/index.ts';
import { once } from '../support/storm.ts';

const text = 'accounts:\n  main:\n    base_url: https://x\n    keys: [a, b]\n';

/** What breaks YAML in the middle of something that spans lines. */
const pieces = fc
  .array(
    fc.constantFrom('a: ', '"', '\n', '  b: x', ' - ', '{', '}', '|\n', '# c', ': ', '*a', '&a ', 'text'),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(''));

describe('a YAML document with positions', () => {
  it('knows the position of keys and values', () => {
    const file = parseYaml(text);
    expect(file.faults).toEqual([]);
    expect(file.positionOf(['accounts', 'main', 'base_url'])).toEqual({ line: 3, column: 15 });
    expect(file.positionOfKey(['accounts', 'main', 'base_url'])).toEqual({ line: 3, column: 5 });
    expect(file.positionOf(['accounts', 'main', 'keys', 1])).toEqual({ line: 4, column: 15 });
  });

  it('gives the position of the nearest ancestor of a missing value', () => {
    expect(parseYaml(text).positionOf(['accounts', 'main', 'admin_key'])).toEqual({ line: 3, column: 5 });
    expect(parseYaml(text).positionOf(['nothing'])).toEqual({ line: 1, column: 1 });
  });

  it('reports syntax faults and duplicate keys with their position', () => {
    expect(parseYaml('a: 1\na: 2\n').faults).toMatchObject([{ line: 2 }]);
    expect(parseYaml('a: [1,\nb: }').faults.length).toBeGreaterThan(0);
  });

  it('reports an alias without an anchor', () => {
    expect(parseYaml('a: *nowhere\n').faults).toMatchObject([
      { line: 1, message: expect.stringContaining('nowhere') as string },
    ]);
  });

  it('knows the position of every key and value in maps of any size', () => {
    const places = (value: unknown, path: YamlPath = []): [YamlPath, unknown][] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([key, item]) => {
            const below = [...path, Array.isArray(value) ? Number(key) : key];
            return [[below, item] as [YamlPath, unknown], ...places(item, below)];
          })
        : [];
    const key = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-'), minLength: 1, maxLength: 4 });
    const leaf = fc.oneof(fc.integer(), fc.boolean(), fc.constant('text'));
    const tree = fc.dictionary(
      key,
      fc.oneof(leaf, fc.array(leaf), fc.dictionary(key, leaf, { maxKeys: 40 })),
      {
        maxKeys: 40,
      },
    );
    fc.assert(
      fc.property(tree, (value) => {
        const written = JSON.stringify(value, undefined, 1);
        const lines = written.split('\n');
        const file = parseYaml(written);
        expect(file.value).toEqual(value);
        const textAt = ({ line, column }: Position): string => lines[line - 1]?.slice(column - 1) ?? '';
        for (const [path, item] of places(value)) {
          const shown = JSON.stringify(item, undefined, 1).split('\n')[0] ?? '';
          expect(textAt(file.positionOf(path)).startsWith(shown)).toBe(true);
          const last = path.at(-1);
          if (typeof last === 'string')
            expect(textAt(file.positionOfKey(path)).startsWith(`${JSON.stringify(last)}:`)).toBe(true);
        }
      }),
      { numRuns: once(100) },
    );
  });

  it('is parsed without an exception, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), pieces), (anything) => {
        const file = parseYaml(anything);
        const lines = anything.split('\n');
        for (const place of [...file.faults, file.positionOf(['a', 0]), file.positionOfKey(['b'])]) {
          expect(place.line).toBeGreaterThan(0);
          expect(place.line).toBeLessThanOrEqual(lines.length);
          expect(place.column).toBeGreaterThan(0);
          expect(place.column).toBeLessThanOrEqual((lines[place.line - 1]?.length ?? 0) + 1);
        }
      }),
      { numRuns: once(100) },
    );
  });

  it.each([
    ['lists in lists', `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['lists below lists', '- '.repeat(10_000)],
    ['maps in maps', `${'{a: '.repeat(50)}1${'}'.repeat(50)}`],
  ])('has one fault when %s are nested too deeply', (_what, nested) => {
    expect(parseYaml(nested).faults).toMatchObject([{ code: 'TOO_DEEP', line: 1, column: 1 }]);
  });

  it('reports at most 100 keys that are written twice, each with the first one', () => {
    const { faults } = parseYaml('a: 1\n'.repeat(2000));
    expect(faults).toHaveLength(100);
    expect(faults.at(-1)?.duplicate).toEqual({ key: 'a', firstLine: 1 });
  });
});
