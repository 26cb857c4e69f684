import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createSecretScanner, filesBelow } from './secret-scan.ts';

/**
 * Watches every test: no secret that a sandbox handed out, or that a test named, may be in what the program leaves
 * behind. Folders below the run's temporary folder are looked through as they are removed; output and mails are given
 * to be looked at by whoever takes them. What is left to the end, no-leftovers.ts looks through.
 */

let scanner = createSecretScanner();
const sinks = new Set<string>();
const findings = new Set<string>();
let holdsApiKeys = false;

/** Forgets what the files of tests before have watched, whose folders are gone. */
export const watchAgain = (): void => {
  scanner = createSecretScanner();
  for (const set of [sinks, findings]) set.clear();
  holdsApiKeys = false;
};

/** Whether there is anything to look for. */
export const watchesSecrets = (): boolean => !scanner.isEmpty();

/** From now on it may be nowhere but in sinks. An API key may not be in the rows of a database either. */
export const watchSecret = (secret: string, isApiKey = false): void => {
  holdsApiKeys ||= isApiKey;
  scanner.add(secret);
  const list = process.env['TOLLKEEPER_SECRET_LIST'];
  if (list !== undefined) appendFileSync(list, `${secret}\n`);
};

/** A file that may hold secrets: a declared sink, or what the test itself gave to the program. */
export const exemptFile = (path: string): void => void sinks.add(resolve(path));

/** What a test writes for the program may name secrets that the test knows. */
export const exemptIfSecret = (path: string, text: string): void => {
  if (scanner.scan(Buffer.from(text)).length > 0) exemptFile(path);
};

/** Looks at what came out of the program. */
export const watchOutput = (where: string, output: Uint8Array | string): void => {
  if (scanner.isEmpty()) return;
  for (const form of scanner.scan(typeof output === 'string' ? Buffer.from(output) : output))
    findings.add(`${where} (${form})`);
};

/** What was found so far, and is forgotten by being asked: for the test that plants a leak. */
export const takeFindings = (): readonly string[] => {
  const found = [...findings];
  findings.clear();
  return found;
};

/** Looks at everything below a folder, databases by their rows too. */
export const watchFolder = async (folder: string): Promise<void> => {
  for (const path of await filesBelow(folder)) {
    if (sinks.has(path)) continue;
    watchOutput(path, await readFile(path));
    if (!holdsApiKeys || !path.endsWith('.duckdb')) continue;
    const { textsOfDatabase } = await import('./secret-database.ts');
    watchOutput(`rows of ${path}`, (await textsOfDatabase(path)) ?? '');
  }
};
