// Builds the program into dist/, or into the folder that is given: the entry points and lazily loaded chunks, with the
// packages they use. Packages with native libraries stay packages; everything else needs no node_modules.
import { chmodSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = resolve(process.argv[2] ?? join(root, 'dist'));
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The folder of the package that holds the file of a module; nothing for the program's own. */
const packageFolder = (path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];

/** What the licences of the bundled packages ask of those who pass them on: name, version and licence text. */
const licences = (modules) => {
  const folders = [...new Set(modules.map(packageFolder))].filter((path) => path !== undefined);
  const notices = folders.map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const file = readdirSync(path).find((one) => /^licen[cs]e/i.test(one));
    if (license === undefined && file === undefined) throw new Error(`${name} has no licence`);
    return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(join(path, file), 'utf8').trim()}\n`;
  });
  return [...new Set(notices)].toSorted().join(`\n${'-'.repeat(80)}\n\n`);
};

const bundle = await rolldown({
  cwd: root,
  input: ['main', 'query-process'].map((name) => join(root, 'src', `${name}.ts`)),
  platform: 'node',
  external: Object.keys(dependencies).map((name) => new RegExp(`^${name}(?:/|$)`)),
  // The `main` of some packages is UMD, whose `require` of their own files no bundler follows.
  resolve: { mainFields: ['module', 'main'] },
  transform: { target: 'node20' },
  onLog: (level, log) => {
    if (level === 'warn') throw new Error(log.message);
  },
});
rmSync(folder, { recursive: true, force: true });
// Flat, so that `../` is the package from every file; unminified, so that a stack trace can be read.
const { output } = await bundle.write({ dir: folder, format: 'esm', chunkFileNames: '[name]-[hash].js' });
await bundle.close();

writeFileSync(join(folder, 'LICENSES.txt'), licences(output.flatMap((chunk) => chunk.moduleIds ?? [])));
// The program refuses to start on a clock that lies before this moment.
writeFileSync(join(folder, 'build.json'), `${JSON.stringify({ builtAt: new Date().toISOString() })}\n`);
// The command `tollkeeper` is a link to it.
chmodSync(join(folder, 'main.js'), 0o755);
