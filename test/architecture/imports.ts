import { readdir, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join, posix, relative, sep } from 'node:path';

export type SourceFile = { readonly path: string; readonly text: string };

/** All TypeScript files below the folder, by their path from it (with `/`). */
export const readSources = async (root: string): Promise<readonly SourceFile[]> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts'));
  return Promise.all(
    files.map(async (entry) => {
      const full = join(entry.parentPath, entry.name);
      return { path: relative(root, full).split(sep).join('/'), text: await readFile(full, 'utf8') };
    }),
  );
};

/** The same sources are looked through again with each planted breach. */
const remembered = <Found>(find: (text: string) => Found): ((text: string) => Found) => {
  const known = new Map<string, Found>();
  return (text) => {
    const found = known.get(text) ?? find(text);
    known.set(text, found);
    return found;
  };
};

/** A source without its comments. */
export const codeOf = remembered((text) =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1'),
);

/** Everything a file imports: static, re-exported, type-only, dynamic, and by `import.meta.resolve` or `require`. */
export const importsOf = remembered((text): readonly string[] => {
  const code = codeOf(text);
  const found = [
    ...code.matchAll(/(?:^|[;\n}])\s*(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]/g),
    ...code.matchAll(/(?:^|[;\n}])\s*import\s*['"]([^'"]+)['"]/g),
    ...code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g),
    ...code.matchAll(/\b(?:import\.meta\.|require\.)?resolve\(\s*['"]([@a-z][^'"]*)['"]/g),
    ...code.matchAll(/\brequire\(\s*['"]([^'"]+)['"]/g),
  ];
  return [...new Set(found.map((match) => match[1] ?? ''))];
});

/** The module of a file: its folder, or its own name for the files that stand alone in `src/`. */
export const moduleOf = (path: string): string => path.split('/')[0] ?? path;

export const isBuiltin = (specifier: string): boolean =>
  specifier.startsWith('node:') || builtinModules.includes(specifier);

/** `@scope/name` or `name` of a package import. */
export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** The file that a relative import names, by its path from the root. */
export const target = (from: string, specifier: string): string => posix.join(posix.dirname(from), specifier);
