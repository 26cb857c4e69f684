import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openBackup, openStore, restoreFiles, verifyFiles } from '../../src/backup/index.ts';
import { createCipher, createDecipher } from '../../src/keys/index.ts';
import { openFolder } from '../support/program.ts';
import { back, block, database, facts, filesOf, newIdentity } from './support.ts';

const [first, second] = ['2026-11-26T09:00:00.000Z', '2026-11-27T09:00:00.000Z'];
const audit = { 'audit/keys.jsonl': Buffer.from('{"step":"created"}\n') };

it('an encrypted backup stores changed blocks only, shows no content or figure, and restores with the identity', async () => {
  await using folder = await openFolder();
  const { cipher, decipher } = await newIdentity();
  await back(folder, first, { ...audit, 'a.duckdb': database(0) }, { cipher });
  const contents = { ...audit, 'a.duckdb': database(4) };
  const { store, manifest, newBytes } = await back(folder, second, contents, { cipher });
  expect(newBytes).toBe(block);
  expect(manifest.encrypted).toBe(true);
  expect(manifest.facts).toBeUndefined();
  for (const file of await filesOf(store.folder)) {
    const text = await readFile(file, 'latin1');
    for (const plain of ['"step"', '481.25', database(0).toString('latin1', 20_000, 20_040)])
      expect(text.includes(plain), file).toBe(false);
  }
  const opened = await openStore(store.folder, { decipher });
  expect((await opened.read('20261127T090000Z')).facts).toEqual(facts);
  expect(await verifyFiles(opened, manifest)).toEqual([]);
  await restoreFiles(opened, manifest, join(folder.path, 'to'));
  for (const [path, content] of Object.entries(contents))
    expect((await readFile(join(folder.path, 'to', path))).equals(content), path).toBe(true);
});

it('an encrypted backup is verified without an identity, and restored only with the right one', async () => {
  await using folder = await openFolder();
  const [{ cipher }, other] = [await newIdentity(), await newIdentity()];
  const { store, manifest } = await back(folder, first, audit, { cipher });
  expect(await verifyFiles(store, manifest)).toEqual([]);
  await expect(restoreFiles(store, manifest, join(folder.path, 'to'))).rejects.toMatchObject({
    code: 'backup-identity',
    message: expect.stringContaining('no identity is given'),
  });
  const wrong = await openStore(store.folder, { decipher: other.decipher });
  await expect(wrong.read('20261126T090000Z')).rejects.toMatchObject({
    code: 'backup-identity',
    message: expect.stringContaining('the identity does not decrypt'),
  });
  await expect(restoreFiles(wrong, manifest, join(folder.path, 'to-2'))).rejects.toMatchObject({
    code: 'backup-identity',
  });
});

it('an encrypted backup relies on no plain chunk, and on no chunk that is encrypted for other recipients', async () => {
  await using folder = await openFolder();
  const [old, added] = [await newIdentity(), await newIdentity()];
  const both = await createCipher([added.recipient, old.recipient]);
  const contents = { 'a.duckdb': database(0) };
  const plain = await back(folder, '2026-11-25T09:00:00.000Z', contents);
  const sealed = await back(folder, first, contents, old);
  expect(sealed.newBytes).toBe(sealed.bytes);
  const shared = await back(folder, second, contents, { cipher: both });
  expect(shared.newBytes).toBe(shared.bytes);
  const again = await createCipher([old.recipient, added.recipient, old.recipient]);
  expect((await back(folder, '2026-11-28T09:00:00.000Z', contents, { cipher: again })).newBytes).toBe(0);
  expect((await back(folder, '2026-11-29T09:00:00.000Z', contents)).newBytes).toBe(0);
  const opened = await openStore(sealed.store.folder, { decipher: added.decipher });
  expect(await verifyFiles(opened, shared.manifest)).toEqual([]);
  expect(await verifyFiles(opened, plain.manifest)).toEqual([]);
  expect((await verifyFiles(opened, sealed.manifest)).map(({ code }) => code)).toEqual(['backup-identity']);
});

it('an encrypted folder that is opened without an identity is verified, and restores nothing', async () => {
  await using folder = await openFolder();
  const { cipher } = await newIdentity();
  const { store } = await back(folder, first, audit, { cipher });
  const opened = await openBackup(store.folder);
  expect(opened.manifest.facts).toBeUndefined();
  expect(await opened.verify()).toEqual([]);
  await expect(opened.restore(join(folder.path, 'to'))).rejects.toMatchObject({ code: 'backup-identity' });
  expect((await folder.files()).filter((name) => name.startsWith('to'))).toEqual([]);
});

it('a damaged encrypted chunk is replaced by the next backup, which leaves one file of it', async () => {
  await using folder = await openFolder();
  const { cipher, decipher } = await newIdentity();
  const { store, manifest } = await back(folder, first, audit, { cipher });
  const [chunk = ''] = (await filesOf(store.folder)).filter((file) => file.endsWith('.age'));
  await folder.write(chunk.slice(folder.path.length + 1), 'damaged');
  expect((await verifyFiles(store, manifest)).map(({ code }) => code)).toEqual(['backup-damaged']);
  expect((await back(folder, second, audit, { cipher })).newBytes).toBeGreaterThan(0);
  expect((await filesOf(store.folder)).filter((file) => file.endsWith('.age'))).toHaveLength(1);
  const opened = await openStore(store.folder, { decipher });
  expect(await verifyFiles(opened, manifest)).toEqual([]);
});

it.each([
  ['is empty', '', 'contains no identity'],
  ['consists of comments', '# created\n', 'contains no identity'],
  ['contains a recipient', '# created\nage1qqqq\n', 'line 2'],
  ['contains a shortened identity', 'AGE-SECRET-KEY-1QQQQQQ\n', 'line 1'],
])('an identity file that %s is refused without its content', async (_, text, message) => {
  const refused = await createDecipher(text).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'backup-identity', message: expect.stringContaining(message) });
  expect(String(refused)).not.toContain('QQQQ');
});

it('an identity file may contain several identities, of which one fits', async () => {
  const [one, other] = [await newIdentity(), await newIdentity()];
  const decipher = await createDecipher(`${other.text}\r\n${one.text}`);
  const plain = Buffer.from('plain');
  expect(Buffer.from(await decipher.decrypt(await one.cipher.encrypt(plain)))).toEqual(plain);
});

it('a cipher without a valid recipient is refused', async () => {
  await expect(createCipher([])).rejects.toMatchObject({ code: 'sink-refused' });
  await expect(createCipher(['age1x'])).rejects.toMatchObject({ code: 'sink-refused' });
});
