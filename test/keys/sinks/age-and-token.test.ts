import { mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Decrypter, armor, generateIdentity, identityToRecipient } from 'age-encryption';
import { describe, expect, it } from 'vitest';
import { execFileSync } from 'node:child_process';
import { delivery, key, never, openSinkFixture, plaintext, thrownBy } from './support.ts';
import { createSecretRegistry } from '../../../src/core/index.ts';
import { readToken } from '../../../src/keys/sinks/token.ts';

it('an age file is encrypted for each recipient with mode 0600, and is confirmed by a person', async () => {
  await using fixture = await openSinkFixture();
  const identities = [await generateIdentity(), await generateIdentity()];
  const recipients = await Promise.all(identities.map((one) => identityToRecipient(one)));
  const sink = fixture.sink({ kind: 'age', path: '{service}.age', recipients });
  expect([sink.confirmedByPerson, await sink.problems(never), await readdir(fixture.folder)]).toEqual([
    true,
    [],
    [],
  ]);
  expect(await sink.deliver(key, delivery, never)).toEqual({});
  const path = join(fixture.folder, 'billing.age');
  const text = await readFile(path, 'utf8');
  expect(text).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  for (const identity of identities) {
    const opener = new Decrypter();
    opener.addIdentity(identity);
    expect(await opener.decrypt(armor.decode(text), 'text')).toBe(plaintext);
  }
  expect(await sink.fingerprint(delivery, never)).toMatchObject({ state: 'unreadable' });
});

it('an age file without a valid recipient is rejected', async () => {
  await using fixture = await openSinkFixture();
  for (const recipients of [[], ['age1notarecipient']]) {
    const sink = fixture.sink({ kind: 'age', path: 'a.age', recipients });
    expect(await sink.problems(never)).toHaveLength(1);
    expect(await thrownBy(sink.deliver(key, delivery, never))).toMatchObject({ code: 'sink-refused' });
  }
  expect(await readdir(fixture.folder)).toEqual([]);
});

describe('a token file of a sink', () => {
  it('must be a regular file, and can be behind the links of a mounted Secret', async () => {
    await using fixture = await openSinkFixture();
    const secrets = createSecretRegistry();
    const fifo = join(fixture.folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    for (const tokenFile of [fifo, '/dev/zero'])
      expect(await thrownBy(readToken({ tokenFile }, secrets))).toMatchObject({
        code: 'sink-refused',
        message: expect.stringMatching(new RegExp(`${tokenFile} .*not a regular file$`)) as string,
      });
    await mkdir(join(fixture.folder, '..2026_1'));
    await writeFile(join(fixture.folder, '..2026_1/token'), 'hvs.TokenOfATest\n');
    await symlink('..2026_1', join(fixture.folder, '..data'));
    await symlink('..data/token', join(fixture.folder, 'token'));
    expect(await readToken({ tokenFile: join(fixture.folder, 'token') }, secrets)).toBe('hvs.TokenOfATest');
  });
});
