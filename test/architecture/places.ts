import { posix } from 'node:path';
import { codeOf, importsOf, target, type SourceFile } from './imports.ts';

/** A usual change, by a real example of it. */
export type Change = {
  readonly change: string;
  /** The folder or file that defines the example. */
  readonly definition: string;
  /** Of a definition that shares its file: the exported names that are its own. */
  readonly names?: readonly string[];
  /** Texts by which other files mention it, such as the name of a metric. */
  readonly words?: readonly string[];
};

const exportedIn = (text: string): readonly string[] =>
  Array.from(
    codeOf(text).matchAll(/^export (?:declare )?(?:const|type|function|async function) (\w+)/gm),
    ([, name = '']) => name,
  );

const isIn = (definition: string, path: string): boolean =>
  path === definition || path.startsWith(`${definition}/`);

type Clause = { readonly exports: boolean; readonly names: readonly string[]; readonly from: string };

/** What a file imports or exports by name, and from which file. */
const clausesOf = ({ path, text }: SourceFile): readonly Clause[] =>
  Array.from(
    codeOf(text).matchAll(/\b(import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'(\.[^']+)'/g),
    ([, verb, list = '', from = '']) => ({
      exports: verb === 'export',
      names: list.split(',').map(
        (one) =>
          one
            .trim()
            .replace(/^type /, '')
            .split(' as ')[0] ?? '',
      ),
      from: target(path, from),
    }),
  );

/** Folders with files that use the example, its own being one: by its exported names, also through an entry point, or by its texts. */
export const placesOf = (
  sources: readonly SourceFile[],
  { definition, names, words = [] }: Change,
): readonly string[] => {
  const own = sources.filter(({ path }) => isIn(definition, path));
  if (own.length === 0) throw new Error(`${definition} does not exist`);
  const others = sources.filter(({ path }) => !isIn(definition, path));
  const exported = own.flatMap(({ text }) => exportedIn(text));
  const missing = (names ?? []).filter((name) => !exported.includes(name));
  if (missing.length > 0) throw new Error(`${definition} does not export ${missing.join(', ')}`);
  const looked = new Set(names ?? exported);
  const used = ({ names: taken, from }: Clause, isSource: (name: string, path: string) => boolean) =>
    taken.filter((name) => looked.has(name) && isSource(name, from));
  const isOwn = (_name: string, from: string): boolean => isIn(definition, from);
  const passedOn = new Set(
    others.flatMap((file) =>
      clausesOf(file)
        .filter((clause) => clause.exports)
        .flatMap((clause) => used(clause, isOwn).map((name) => `${file.path} ${name}`)),
    ),
  );
  const isSource = (name: string, from: string): boolean =>
    isOwn(name, from) || passedOn.has(`${from} ${name}`);
  const found = others.filter(
    (file) =>
      clausesOf(file).some((clause) => used(clause, isSource).length > 0) ||
      // An import on demand names no export.
      importsOf(file.text).some((one) => names === undefined && isIn(definition, target(file.path, one))) ||
      words.some((word) => codeOf(file.text).includes(word)),
  );
  const home = definition.endsWith('.ts') ? posix.dirname(definition) : definition;
  return [...new Set([home, ...found.map(({ path }) => posix.dirname(path))])].sort();
};
