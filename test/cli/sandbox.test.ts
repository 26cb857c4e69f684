import { expect, it } from 'vitest';
import { openFolder, type Folder, type Ran } from '../support/program.ts';

/** Starts `sandbox`, asks for the profile with the key, and stops it. */
const serveOnce = async (
  folder: Folder,
  key: string,
  ...argv: readonly string[]
): Promise<{ readonly ran: Ran; readonly shown: string; readonly status: number }> => {
  const stop = new AbortController();
  let status = 0;
  let shown = '';
  const ran = await folder.run(['sandbox', '--port', '0', '--months', '1', '--json', ...argv], {
    signal: stop.signal,
    onOutput: (text) => {
      const printed = JSON.parse(text) as Record<string, string>;
      shown = printed['GATEWAY_ADMIN_KEY'] ?? '';
      void fetch(`${printed['GATEWAY_BASE_URL'] ?? ''}/api/user/self`, {
        headers: { authorization: `Bearer ${key}`, connection: 'close' },
      })
        .then(async (answer) => {
          status = answer.status;
          await answer.text();
        })
        .finally(() => stop.abort());
    },
  });
  return { ran, shown, status };
};

it('`sandbox --admin-key` serves with the given key, the same after a restart', async () => {
  await using folder = await openFolder();
  const key = 'sk-admin-local';
  for (const _ of [1, 2]) {
    const { ran, shown, status } = await serveOnce(folder, key, '--admin-key', key);
    expect({ code: ran.code, shown, status }).toEqual({ code: 0, shown: key, status: 200 });
  }
  const random = await serveOnce(folder, key);
  expect(random.shown).toMatch(/^sk-admin-./);
  expect(random.shown).not.toBe(key);
  expect(random.status).toBe(401);
});
