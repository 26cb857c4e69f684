import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vitest/node';
import { startIn, type BuiltProgram } from './built-program.ts';

/** A request that a program sent, and the functions it went through, each entered by the one before. */
export type RecordedCall = { readonly request: string; readonly functions: readonly string[] };

type Node = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
};
type Edit = { readonly at: number; readonly text: string };

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const functions: ReadonlySet<string> = new Set([
  'ArrowFunctionExpression',
  'FunctionExpression',
  'FunctionDeclaration',
]);

/** The text that lets each function of the module say that it was entered. Generators are left out. */
const instrumented = (file: string, code: string): string => {
  const edits: Edit[] = [];
  const textOf = ({ start, end }: Node): string => code.slice(start, end);
  const nameOf = (node: Node, within: string): string => {
    if (node.type === 'VariableDeclarator' && isNode(node['id'])) return textOf(node['id']);
    if (node.type === 'Property' && isNode(node['key'])) return textOf(node['key']);
    if (node.type === 'CallExpression' && isNode(node['callee']))
      return `${textOf(node['callee']).split('.').at(-1) ?? ''}(…) of ${within}`;
    return within;
  };
  const enter = (node: Node, name: string): void => {
    const body = node['body'] as Node;
    const isAsync = node['async'] === true;
    const call = `__enter(${JSON.stringify(`${file} ${name}`)}, ${isAsync ? 'async ' : ''}() => `;
    if (body.type === 'BlockStatement') {
      edits.push({ at: body.start + 1, text: `return ${isAsync ? 'await ' : ''}${call}{` });
      edits.push({ at: body.end - 1, text: '});' });
    } else {
      edits.push({ at: body.start, text: `${call}(` });
      edits.push({ at: body.end, text: '))' });
    }
  };
  const visit = (value: unknown, within: string): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, within);
    if (!isNode(value)) return;
    const name = nameOf(value, within);
    if (functions.has(value.type) && value['generator'] !== true) enter(value, name);
    for (const child of Object.values(value)) if (typeof child === 'object') visit(child, name);
  };
  visit(parseAst(code), 'the module');
  // An inner end comes before an outer one at the same place, an outer beginning before an inner one.
  return edits
    .map((edit, order) => ({ ...edit, order }))
    .toSorted((one, other) => other.at - one.at || other.order - one.order)
    .reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), code);
};

export type RecordingProgram = BuiltProgram & {
  readonly calls: () => Promise<readonly RecordedCall[]>;
  readonly forget: () => Promise<void>;
};

/** The compiled program again, in a folder of its own, where it records its requests. */
export const openRecordingProgram = async (program: BuiltProgram): Promise<RecordingProgram> => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-recording-'));
  for (const name of ['node_modules', 'fonts', 'reports', 'package.json'])
    await symlink(join(program.folder, name), join(folder, name));
  const built = await readdir(join(program.folder, 'dist'), { recursive: true });
  for (const file of built.filter((name) => name.endsWith('.js'))) {
    const to = join(folder, 'dist', file);
    await mkdir(dirname(to), { recursive: true });
    const code = await readFile(join(program.folder, 'dist', file), 'utf8');
    await writeFile(to, instrumented(file.replace(/\.js$/, '.ts'), code));
  }
  const recorded = join(folder, 'calls.ndjson');
  await writeFile(recorded, '');
  const env = {
    NODE_OPTIONS: `--import ${fileURLToPath(new URL('record-calls.mjs', import.meta.url))}`,
    RECORDED_CALLS: recorded,
  };
  return {
    folder,
    start: (argv, options) => startIn(folder, argv, { ...options, env: { ...options.env, ...env } }),
    calls: async () =>
      (await readFile(recorded, 'utf8'))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as RecordedCall),
    forget: () => writeFile(recorded, ''),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
};
