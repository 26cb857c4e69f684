import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { variantTable } from '../../src/sandbox/index.ts';
import {
  idsOf,
  misplacedStatements,
  statementsOf,
  unknownIds,
  untestedIds,
  variantsOf,
} from './statements.ts';
import { pathsOf, readTexts } from './texts.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const contract = readFileSync(`${root}docs/gateway.md`, 'utf8');
const paths = pathsOf(root);
const read = (wanted: RegExp) => readTexts(root, paths, (path) => wanted.test(path));

const notYet: readonly string[] = [];

// Ids are put together here, so that this file is no violation itself.
const [one, two] = ['G1', 'G2'];
const planted = `## ${one} A

**${one}.1** A request has:

| field | type |
|---|---|
| \`a\`, \`b[].c\` | string |

| header | value |
|---|---|
| \`X-Day\` | \`d\` |

| from | to |
|---|---|
| \`e\` | \`f\` |

- **Open**: some.
- **Sandbox**: \`one_way\`, \`other_way\`; \`third_way\` (${two}.2); the fault \`churn\`

**${one}.2** Rule.

- **Open**: all.
- **Sandbox**: \`third_way\` (${two}.2)
- **Tollkeeper**: \`g\`

## ${two} B

**${two}.2** Rule.

- **Sandbox**: \`third_way\`
`;
const plantedIds = [
  ...['.1', '.1.a', '.1.b[].c', '.1.X-Day', '.1.one_way', '.1.other_way', '.2', '.2.open'].map(
    (id) => one + id,
  ),
  ...['.2', '.2.third_way'].map((id) => two + id),
];

describe('statements of the gateway contract', () => {
  it('have unique numbers in order within their section', () => {
    expect(statementsOf(contract).size).toBeGreaterThan(100);
    expect(misplacedStatements(contract)).toEqual([]);
  });

  it('are reported for a duplicate number, a wrong order or another section', () => {
    const wrong =
      '## G1 A\n\n**G1.1** a\n\n**G1.1** b\n\n## G2 B\n\n**G2.2** c\n\n**G2.1** d\n\n**G1.2** e\n';
    expect(misplacedStatements(wrong)).toEqual(['G1.1', 'G2.1', 'G1.2']);
  });

  it('list every variant of the sandbox with the open point that it reproduces', () => {
    const statements = statementsOf(contract);
    const unlisted = Object.entries(variantTable).filter(([name, { statement }]) => {
      const text = statements.get(statement) ?? '';
      return !text.includes('\n- **Open**') || !variantsOf(text).includes(name);
    });
    expect(unlisted.map(([name]) => name)).toEqual([]);
  });

  it('list only variants of the sandbox', () => {
    const names = [...statementsOf(contract).values()].flatMap(variantsOf);
    expect(new Set(names)).toEqual(new Set(Object.keys(variantTable)));
  });
});

describe('an id of the gateway contract', () => {
  it('belongs to each statement, name in a table, variant, and open point without a variant', () => {
    expect(idsOf(planted)).toEqual(plantedIds);
  });

  it('is unique', () => {
    const ids = idsOf(contract);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it('exists for every reference in a text', () => {
    const texts = read(/^(src|test|docs|config|reports|\.github)\/|^[^/]+\.md$/);
    expect(unknownIds(contract, texts)).toEqual([]);
  });

  it.each(['.9', '.1.c', '.1.e', '.1.churn', '.1.open', '.2.third_way'])(
    'is reported when the contract has none for a reference: %s',
    (id) => {
      const texts = new Map([['test/planted.ts', `it('a test (${one}${id}).')`]]);
      expect(unknownIds(planted, texts)).toEqual([`test/planted.ts: ${one}${id}`]);
    },
  );

  it('has a test that names it', () => {
    const tests = read(/^test\/(?!docs\/|architecture\/fixtures\/).*\.ts$/);
    const missing = untestedIds(contract, tests).filter(
      (id) => !notYet.some((part) => id === part || id.startsWith(`${part}.`)),
    );
    expect(missing).toEqual([]);
  });

  it('is reported when no test names it, or only a comment or a longer id', () => {
    const texts = new Map([
      [
        'test/a.ts',
        plantedIds
          .slice(1, -1)
          .map((id) => `it('tests ${id}.');`)
          .join('\n'),
      ],
      ['test/b.ts', `// ${plantedIds.at(-1)}\n/** ${plantedIds.at(-1)} */ export {};`],
    ]);
    expect(untestedIds(planted, texts)).toEqual([plantedIds[0], plantedIds.at(-1)]);
  });
});
