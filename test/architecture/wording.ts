import { parseSync } from 'oxc-parser';

type Tree = { readonly type: string; readonly [key: string]: unknown };

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && typeof (value as Tree).type === 'string';

const childrenOf = (tree: Tree): readonly Tree[] => Object.values(tree).flat().filter(isTree);

/** The name at the root of a chain of calls and members: `expect` of `expect(a).not.toBe(b)`. */
const rootOf = (tree: unknown): string => {
  if (!isTree(tree)) return '';
  if (tree.type === 'Identifier') return tree['name'] as string;
  return rootOf(tree['object'] ?? tree['callee'] ?? tree['expression']);
};

const textOf = (tree: Tree): string | undefined => {
  if (tree.type === 'TemplateLiteral')
    return (tree['quasis'] as readonly { readonly value: { readonly cooked: string } }[])
      .map(({ value }) => value.cooked)
      .join('…');
  if (tree.type !== 'Literal') return undefined;
  const { value, regex } = tree as { value?: unknown; regex?: { readonly pattern: string } };
  return regex?.pattern ?? (typeof value === 'string' ? value : undefined);
};

/** Words that follow one another, with at most a comma or a semicolon between them. */
const prose = /(?<![\p{L}\p{N}_/.=-])[\p{L}\p{N}…'’"$\\][^\s=/]*(?:[,;]? [\p{L}\p{N}…'’"$%(\\][^\s=/]*)+/gu;
const isWord = (part: string): boolean => /^["'’(]?\p{L}[\p{L}'’-]*[.,;:)"'’?!\\]*$/u.test(part);

/** Whether a text contains more than five words in a row, as prose does and names, commands and SQL do not. */
export const isSentence = (text: string): boolean =>
  !/\b(?:SELECT|INSERT INTO|CREATE TABLE)\b/.test(text) &&
  [...text.matchAll(prose)].some(([run]) => run.split(' ').filter(isWord).length > 5);

/** The values of constants of the file, by name, however deep they are declared. */
const constantsOf = (tree: Tree, found = new Map<string, Tree>()): ReadonlyMap<string, Tree> => {
  const { id, init } = tree as { id?: unknown; init?: unknown };
  if (tree.type === 'VariableDeclarator' && isTree(id) && id.type === 'Identifier' && isTree(init))
    found.set(id['name'] as string, init);
  for (const child of childrenOf(tree)) constantsOf(child, found);
  return found;
};

/** What a test expects: arguments of its matchers. */
const isMatcher = (tree: Tree): boolean =>
  tree.type === 'CallExpression' &&
  isTree(tree['callee']) &&
  tree['callee'].type === 'MemberExpression' &&
  rootOf(tree['callee']) === 'expect';

const nameOfProperty = (tree: unknown): unknown => (tree as { property?: { name?: unknown } }).property?.name;

const isTable = (tree: Tree): boolean =>
  tree.type === 'CallExpression' &&
  nameOfProperty(tree['callee']) === 'each' &&
  ['it', 'test', 'describe'].includes(rootOf(tree['callee']));

/** Without the name that a row of a table begins with. */
const cellsOf = (row: Tree): readonly Tree[] => {
  if (row.type === 'ArrayExpression') return (row['elements'] as readonly Tree[]).slice(1);
  if (row.type !== 'ObjectExpression') return [];
  return (row['properties'] as readonly Tree[]).slice(1);
};

/** The sentences that the tests of a file compare with: in the arguments of matchers and in tables of `each`, with the constants named there. */
export const sentencesOf = (path: string, text: string): readonly string[] => {
  const { program } = parseSync(path, text);
  const tree: Tree = program as unknown as Tree;
  const constants = constantsOf(tree);
  const found = new Map<number, string>();
  const seen = new Set<Tree>();
  const compared = (part: Tree): void => {
    if (seen.has(part) || nameOfProperty(part) === 'length') return;
    seen.add(part);
    const literal = textOf(part);
    if (literal !== undefined && isSentence(literal)) found.set(part['start'] as number, literal);
    const named = part.type === 'Identifier' ? constants.get(part['name'] as string) : undefined;
    // Results of calls are what is tested, not what is expected.
    if (named !== undefined && !/Call|Await|Function/.test(named.type)) compared(named);
    for (const child of childrenOf(part)) compared(child);
  };
  const rowsOf = (table: Tree): readonly Tree[] => {
    if (table.type === 'Identifier') {
      const named = constants.get(table['name'] as string);
      return named === undefined ? [] : rowsOf(named);
    }
    if (table.type === 'ArrayExpression') return table['elements'] as readonly Tree[];
    const inner = table['expression'] ?? table['object'] ?? table['callee'];
    return isTree(inner) ? rowsOf(inner) : [];
  };
  const walk = (part: Tree): void => {
    if (isMatcher(part)) for (const given of part['arguments'] as readonly Tree[]) compared(given);
    if (isTable(part))
      for (const table of part['arguments'] as readonly Tree[])
        for (const row of rowsOf(table)) for (const cell of cellsOf(row)) compared(cell);
    for (const child of childrenOf(part)) walk(child);
  };
  walk(tree);
  return [...found.values()];
};

/** An assertion of an approved file: the area, and whether it is asserted in each language. */
type Assertion = { readonly path: string; readonly area: string | undefined; readonly inEach: boolean };

/** The calls of `approved` in a file; without an area where it is no literal, or no argument of `toMatchFileSnapshot`. */
export const assertionsOf = (path: string, text: string): readonly Assertion[] => {
  const found: Assertion[] = [];
  const walk = (part: Tree, isAsserted: boolean): void => {
    const asserts =
      part.type === 'CallExpression' && nameOfProperty(part['callee']) === 'toMatchFileSnapshot';
    if (part.type === 'CallExpression' && (part['callee'] as Tree)['name'] === 'approved') {
      const [area, language] = part['arguments'] as readonly Tree[];
      const literal = area?.type === 'Literal' && isAsserted ? (area['value'] as string) : undefined;
      found.push({ path, area: literal, inEach: language !== undefined });
    }
    for (const child of childrenOf(part)) walk(child, asserts);
  };
  const { program } = parseSync(path, text);
  walk(program as unknown as Tree, false);
  return found;
};
