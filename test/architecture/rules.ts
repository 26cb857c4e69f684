import { importsOf, isBuiltin, packageOf, moduleOf, target } from './imports.ts';
import type { SourceFile } from './imports.ts';

const modules = {
  base: [],
  net: ['base'],
  config: ['base'],
  gateway: ['base', 'net'],
  warehouse: ['base'],
  ingest: ['base', 'warehouse'],
  watch: ['base', 'warehouse'],
  report: ['base', 'warehouse'],
  mail: ['base', 'net', 'warehouse'],
  keys: ['base', 'net', 'gateway', 'warehouse'],
  jobs: ['base', 'net', 'config', 'gateway', 'warehouse', 'ingest', 'watch', 'report', 'mail', 'keys'],
  schedule: ['base', 'config', 'warehouse'],
  server: ['base', 'warehouse', 'schedule'],
  sandbox: [],
} as const satisfies Record<string, readonly string[]>;

const everyModule = Object.keys(modules).filter((module) => module !== 'sandbox');

/** Which modules and single files each module or single file may import. */
export const importTable: Readonly<Record<string, readonly string[]>> = {
  ...modules,
  'settings.ts': everyModule,
  app: [...everyModule, 'settings.ts', 'version.ts'],
  demo: [...everyModule, 'sandbox', 'app', 'settings.ts', 'version.ts'],
  cli: ['base', 'app', 'settings.ts', 'sandbox', 'demo', 'version.ts'],
  'main.ts': ['base', 'cli'],
  'version.ts': [],
  'stamp-build.ts': ['base'],
};

/** Only these places may import the sandbox. */
const sandboxImporters = ['demo/', 'cli/sandbox/'];

const everywhere = ['zod'];

const globalsWithOneHome: readonly {
  readonly name: string;
  readonly pattern: RegExp;
  readonly home: string;
}[] = [
  { name: 'process.env', pattern: /\bprocess\.env\b|\benv\b[^;\n]*from 'node:process'/, home: 'main.ts' },
  {
    name: 'the wall clock',
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/,
    home: 'base/clock.ts',
  },
  { name: 'console', pattern: /\bconsole\./, home: 'main.ts' },
  { name: 'Math.random', pattern: /\bMath\.random\b/, home: 'main.ts' },
];

const codeOf = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');

const importFaults = (file: SourceFile, specifier: string, homes: Map<string, string>): string[] => {
  const module = moduleOf(file.path);
  if (isBuiltin(specifier)) return [];
  if (!specifier.startsWith('.')) {
    const name = packageOf(specifier);
    if (everywhere.includes(name)) return [];
    const home = homes.get(name) ?? module;
    homes.set(name, home);
    return home === module ? [] : [`${file.path}: package ${name} already lives in ${home}`];
  }
  const path = target(file.path, specifier);
  const other = moduleOf(path);
  if (path.startsWith('..')) return [`${file.path}: ${specifier} leads out of src`];
  if (other === module) return [];
  const allowed = importTable[module];
  if (allowed === undefined) return [`${file.path}: ${module} is no module of the codebase`];
  if (!allowed.includes(other)) return [`${file.path}: ${module} may not import ${other}`];
  if (other === 'sandbox' && !sandboxImporters.some((importer) => file.path.startsWith(importer)))
    return [`${file.path}: only ${sandboxImporters.join(' and ')} import sandbox`];
  if ((other in modules || other === 'demo' || other === 'app') && path !== `${other}/index.ts`)
    return [`${file.path}: ${path} is not the entry point of ${other}`];
  return [];
};

/** Every breach of the rules of the codebase in the given sources; empty when all is well. */
export const breaches = (sources: readonly SourceFile[]): readonly string[] => {
  const homes = new Map<string, string>();
  const sorted = [...sources].sort((left, right) => left.path.localeCompare(right.path));
  return sorted.flatMap((file) => [
    ...(moduleOf(file.path) in importTable
      ? []
      : [`${file.path}: ${moduleOf(file.path)} is no module of the codebase`]),
    ...importsOf(file.text).flatMap((specifier) => importFaults(file, specifier, homes)),
    ...globalsWithOneHome
      .filter(({ pattern, home }) => file.path !== home && pattern.test(codeOf(file.text)))
      .map(({ name, home }) => `${file.path}: ${name} has its home in ${home}`),
  ]);
};
