import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSecretRegistry } from '../../../src/core/index.ts';
import { readToken } from '../../../src/keys/sinks/token.ts';
import { openSinkFixture, thrownBy } from './support.ts';

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
