import { posix } from 'node:path';
import { codeOf, importsOf, isBuiltin, packageOf, moduleOf, target, type SourceFile } from './imports.ts';

const modules = {
  core: [],
  http: ['core'],
  config: ['core'],
  gateway: ['core', 'http'],
  backup: ['core'],
  storage: ['core'],
  warehouse: ['core', 'storage'],
  ingest: ['core', 'warehouse'],
  reconcile: ['core', 'warehouse', 'ingest'],
  monitoring: ['core', 'warehouse'],
  messages: ['core', 'warehouse', 'monitoring', 'keys'],
  reports: ['core', 'warehouse', 'monitoring', 'messages', 'package-root.ts'],
  focus: ['core', 'warehouse'],
  notify: ['core', 'http', 'config', 'storage'],
  keys: ['core', 'http', 'config', 'gateway', 'warehouse'],
  jobs: [
    'core',
    'backup',
    'config',
    'gateway',
    'storage',
    'warehouse',
    'ingest',
    'reconcile',
    'monitoring',
    'messages',
    'reports',
    'focus',
    'notify',
    'keys',
  ],
  scheduler: ['core', 'config', 'storage'],
  doctor: ['core', 'config', 'warehouse', 'ingest', 'monitoring', 'notify', 'keys', 'jobs'],
  control: ['core', 'storage', 'scheduler'],
  web: ['core', 'storage', 'scheduler', 'monitoring', 'warehouse', 'messages', 'reports', 'keys'],
  metrics: ['core'],
  tracing: ['core', 'http'],
  sandbox: [],
} as const satisfies Record<string, readonly string[]>;

const everyModule = Object.keys(modules).filter((name) => name !== 'sandbox');

/** Which modules and files of `src/` each module or file may import. */
export const importTable: Readonly<Record<string, readonly string[]>> = {
  ...modules,
  'settings.ts': [...everyModule, 'package-root.ts'],
  app: [...everyModule, 'settings.ts', 'version.ts'],
  demo: [...everyModule, 'sandbox', 'app', 'settings.ts', 'version.ts'],
  cli: ['core', 'app', 'gateway', 'settings.ts', 'sandbox', 'demo', 'package-root.ts', 'version.ts'],
  'main.ts': ['core', 'cli'],
  'version.ts': ['package-root.ts'],
  'query-process.ts': ['warehouse'],
  'package-root.ts': [],
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
    home: 'core/clock.ts',
  },
  { name: 'console', pattern: /\bconsole\./, home: 'main.ts' },
  {
    name: 'the native connection of DuckDB',
    pattern: /\bDuckDBConnection\b|\bnative\b/,
    home: 'storage/duckdb/',
  },
  { name: 'Math.random', pattern: /\bMath\.random\b/, home: 'main.ts' },
];

/** Whether a file is the home, or in it where the home is a folder. */
const isIn = (home: string, path: string): boolean =>
  home.endsWith('/') ? path.startsWith(home) : path === home;

const importFaults = (file: SourceFile, specifier: string, homes: Map<string, string>): string[] => {
  const own = moduleOf(file.path);
  if (isBuiltin(specifier)) return [];
  if (!specifier.startsWith('.')) {
    const name = packageOf(specifier);
    if (everywhere.includes(name)) return [];
    const home = homes.get(name) ?? own;
    homes.set(name, home);
    return home === own ? [] : [`${file.path}: package ${name} already lives in ${home}`];
  }
  const path = target(file.path, specifier);
  const other = moduleOf(path);
  if (path.startsWith('..')) return [`${file.path}: ${specifier} leads out of src`];
  if (other === own) return [];
  const allowed = importTable[own];
  if (allowed === undefined) return [`${file.path}: ${own} is not in the import table`];
  if (!allowed.includes(other)) return [`${file.path}: ${own} may not import ${other}`];
  if (other === 'sandbox' && !sandboxImporters.some((importer) => file.path.startsWith(importer)))
    return [`${file.path}: only ${sandboxImporters.join(' and ')} import sandbox`];
  if ((other in modules || other === 'demo' || other === 'app') && path !== `${other}/index.ts`)
    return [`${file.path}: ${path} is not the entry point of ${other}`];
  return [];
};

/** Every breach of the rules in the given sources; empty where there is none. */
export const breaches = (sources: readonly SourceFile[]): readonly string[] => {
  const homes = new Map<string, string>();
  const sorted = [...sources].sort((left, right) => left.path.localeCompare(right.path));
  return sorted.flatMap((file) => [
    ...(moduleOf(file.path) in importTable
      ? []
      : [`${file.path}: ${moduleOf(file.path)} is not in the import table`]),
    ...importsOf(file.text).flatMap((specifier) => importFaults(file, specifier, homes)),
    ...globalsWithOneHome
      .filter(({ pattern, home }) => !isIn(home, file.path) && pattern.test(codeOf(file.text)))
      .map(({ name, home }) => `${file.path}: ${name} has its home in ${home}`),
  ]);
};

/** More files directly in a folder than this ask for a subfolder with a name. */
const maxFilesInFolder = 25;

/** Folders with too many files directly in them. */
export const overfullFolders = (sources: readonly SourceFile[]): readonly string[] => {
  const counts = new Map<string, number>();
  for (const { path } of sources) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > maxFilesInFolder)
    .map(([folder, count]) => `${folder}: ${count} files, at most ${maxFilesInFolder}`);
};

/** Tables that an extension adds an entry to: the files of the entries stay apart, as small as they are. */
const registries = [
  'gateway/endpoints.ts',
  'jobs/alert/rules/budget/languages.ts',
  'jobs/alert/rules/key-behaviour/languages.ts',
  'jobs/alert/rules/price-change/languages.ts',
  'jobs/alert/rules/runway/languages.ts',
  'jobs/alert/rules/unusual/languages.ts',
  'keys/rotation/decide.ts',
  'keys/sinks/registry.ts',
  'messages/locales.ts',
  'notify/channels/registry.ts',
  'warehouse/report-views/registry.ts',
];

/** Files of at most 25 lines that one file alone imports, which they are to join; what an index exports has others. */
export const crumbs = (sources: readonly SourceFile[]): readonly string[] => {
  const importers = new Map<string, Set<string>>();
  for (const { path, text } of sources)
    for (const specifier of importsOf(text)) {
      const imported = target(path, specifier);
      importers.set(imported, (importers.get(imported) ?? new Set()).add(path));
    }
  return sources.flatMap(({ path, text }) => {
    const [importer, ...others] = importers.get(path) ?? [];
    const isApart = [path, importer].some((one) => one !== undefined && registries.includes(one));
    if (importer === undefined || others.length > 0 || isApart || importer.endsWith('index.ts')) return [];
    return text.split('\n').length - 1 > 25 ? [] : [`${path} joins ${importer}`];
  });
};

/** The folders and files of modules in layers: each imports only from those after it. `.` stands for all other files of the module. */
const layers: Readonly<Record<string, readonly string[]>> = {
  app: [
    'index.ts',
    'serve',
    'listeners',
    'control',
    'compose.ts',
    'runtime',
    'queries',
    'backups',
    'replicas',
    'keys',
    'notifications',
    'accounts',
    'data-folder',
    'process',
  ],
  keys: [
    '.',
    'rotation',
    'steps',
    'retirement',
    'cycle',
    'plan',
    'journal',
    'update',
    'sinks',
    'events',
    'model',
  ],
};

/** Imports within a module from a layer that comes before that of the file. */
export const upwardImports = (sources: readonly SourceFile[]): readonly string[] => {
  const layerOf = (path: string): number => {
    const [module = '', name = '', ...rest] = path.split('/');
    const own = layers[module] ?? [];
    return own.indexOf(rest.length === 0 && !own.includes(name) ? '.' : name);
  };
  return sources
    .filter(({ path }) => moduleOf(path) in layers)
    .flatMap(({ path, text }) =>
      layerOf(path) === -1
        ? [`${path}: no layer`]
        : importsOf(text)
            .filter((specifier) => specifier.startsWith('.'))
            .map((specifier) => target(path, specifier))
            .filter((imported) => moduleOf(imported) === moduleOf(path) && layerOf(imported) < layerOf(path))
            .map((imported) => `${path} imports ${imported}`),
    );
};

/** Where code may decide by the engine of the database: what the configuration and the commands about it say, and where the program is put together. */
const decidesByEngine = /^(?:config|doctor|cli\/migrate|app\/(?:compose\.ts$|backups|replicas))(?:\/|$)?/;

const engineDecisions =
  /\bsettings\??\.database\b|\bsettings: \{ database\b|\{[^{}]*\bdatabase\b[^{}]*\} = \w+\.settings\b|\bSharedDatabase \| undefined|\bapp\.shared\b/;

/** What only the engine of PostgreSQL, copies between engines and the shared warehouse name. */
const postgresHomes = ['storage/', 'warehouse/copies/', 'warehouse/open-shared.ts'];

/** Files that decide by the engine, or that reach into the engine of PostgreSQL, outside of the places for it. */
export const engineBranches = (sources: readonly SourceFile[]): readonly string[] =>
  sources.flatMap(({ path, text }) => {
    const code = codeOf(text);
    const decides = engineDecisions.test(code) && !decidesByEngine.test(path);
    const reaches =
      /\bPostgres(?:Connection|Engine)\b/.test(code) && !postgresHomes.some((home) => path.startsWith(home));
    return [
      ...(decides ? [`${path} decides by the engine of the database`] : []),
      ...(reaches ? [`${path} reaches into the engine of PostgreSQL`] : []),
    ];
  });

/** The import cycles among files, type-only imports included: each as the files from one back to itself. */
export const importCycles = (sources: readonly SourceFile[]): readonly string[] => {
  const imports = new Map(
    sources.map(({ path, text }) => [
      path,
      importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => target(path, specifier)),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) {
      cycles.push([...trail.slice(start), path].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return cycles;
};

/** Modules of the import table and registries that do not exist. */
export const missingModules = (sources: readonly SourceFile[]): readonly string[] => {
  const existing = new Set(sources.flatMap(({ path }) => [moduleOf(path), path]));
  return [
    ...new Set([...Object.keys(importTable), ...Object.values(importTable).flat(), ...registries]),
  ].filter((name) => !existing.has(name));
};

/** The file that declares a name which an index exports; undefined where it exports none of this name. */
const originOf = (path: string, name: string, sources: ReadonlyMap<string, string>): string | undefined => {
  const text = sources.get(path) ?? '';
  if (new RegExp(`^export (?:async )?(?:const|type|function) ${name}\\b`, 'm').test(text)) return path;
  for (const [, list = '', specifier = ''] of text.matchAll(
    /^export (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm,
  ))
    if (namesIn(list).includes(name)) return originOf(target(path, specifier), name, sources);
  for (const [, specifier = ''] of text.matchAll(/^export \* from '(\.[^']+)'/gm)) {
    const origin = originOf(target(path, specifier), name, sources);
    if (origin !== undefined) return origin;
  }
  return undefined;
};

const namesIn = (list: string): readonly string[] =>
  list.split(',').flatMap((one) => /^\s*(?:type )?(\w+)/.exec(one)?.[1] ?? []);

/** Imports of tests from a file of a module although its index exports all that they name. */
export const pastTheIndex = (
  tests: readonly SourceFile[],
  sources: readonly SourceFile[],
): readonly string[] => {
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  return tests.flatMap(({ path, text }) =>
    [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '(?:\.\.\/)+src\/(\w+\/[^']+)'/gm)].flatMap(
      ([, list = '', imported = '']) => {
        const index = `${moduleOf(imported)}/index.ts`;
        const isExported = (name: string): boolean => {
          const origin = originOf(index, name, texts);
          return origin !== undefined && origin === originOf(imported, name, texts);
        };
        return imported === index || !namesIn(list).every(isExported)
          ? []
          : [`${path}: import ${imported} through ${index}`];
      },
    ),
  );
};
