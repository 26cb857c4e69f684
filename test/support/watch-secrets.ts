import { subscribe } from 'node:diagnostics_channel';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { afterAll } from 'vitest';
import { takeFindings, watchAgain, watchesSecrets, watchFolder, watchSecret } from './secret-watch.ts';

/** Of this process: it runs many files of tests, one after the other, and this module again for each. */
const installed = Symbol.for('tollkeeper tests: folders are looked through');

if (!(installed in globalThis)) {
  Object.defineProperty(globalThis, installed, { value: true });
  subscribe('tollkeeper:sandbox:plaintext', (message) => {
    const { plaintext } = message as { readonly plaintext: string };
    watchSecret(plaintext, !plaintext.startsWith('sk-admin-'));
  });

  // Tests remove their folders themselves, each in its own way: what is in one is looked at just before.
  const { rm } = fs.promises;
  fs.promises.rm = async (path, options) => {
    const ofRun = typeof path === 'string' && dirname(path) === tmpdir() && watchesSecrets();
    if (ofRun && fs.existsSync(path)) await watchFolder(path);
    return rm(path, options);
  };
  syncBuiltinESMExports();
}
watchAgain();

afterAll(() => {
  const found = takeFindings();
  if (found.length > 0) throw new Error(`a secret was found in:\n${found.join('\n')}`);
});
