import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecretScanner, filesBelow } from './secret-scan.ts';

/** What the run left in its folder that holds one of the secrets on the list. */
const compromisedIn = async (folder: string, list: string): Promise<readonly string[]> => {
  const scanner = createSecretScanner();
  for (const secret of (await readFile(list, 'utf8')).split('\n')) scanner.add(secret);
  if (scanner.isEmpty()) return [];
  const leaked: string[] = [];
  // The program itself was written by the compiler; the password of its demo is no secret.
  const programs = ['built-program', 'compiled-program'].map((name) => join(folder, name, ''));
  const made = (await filesBelow(folder)).filter((path) => !programs.some((one) => path.startsWith(one)));
  for (const path of made) if (scanner.scan(await readFile(path)).length > 0) leaked.push(path);
  return leaked;
};

/**
 * Gives the run a temporary folder of its own; after all tests nothing that one of them made may be left in it, and
 * nothing that holds a secret. The list of secrets lies outside of it.
 */
export const setup = async (): Promise<() => Promise<void>> => {
  const aside = await mkdtemp(join(tmpdir(), 'tollkeeper-secrets-'));
  const list = join(aside, 'list');
  await writeFile(list, '', { mode: 0o600 });
  process.env['TOLLKEEPER_SECRET_LIST'] = list;
  const own = await mkdtemp(join(tmpdir(), 'tollkeeper-tests-'));
  process.env['TMPDIR'] = own;
  return async () => {
    const left = (await readdir(own)).filter((name) => name.startsWith('tollkeeper-'));
    const leaked = await compromisedIn(own, list);
    for (const folder of [own, aside]) await rm(folder, { recursive: true, force: true });
    if (left.length === 0 && leaked.length === 0) return;
    // An error in a teardown is printed and, by itself, does not fail the run.
    process.exitCode = 1;
    if (leaked.length > 0) throw new Error(`secrets are left in: ${leaked.join(', ')}`);
    throw new Error(`tests left files behind: ${left.join(', ')}`);
  };
};
