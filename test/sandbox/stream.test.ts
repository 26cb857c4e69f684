import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { expect, test } from 'vitest';
import { withBox } from './support.ts';

/** Waits until nothing has changed for a while: compression works on threads of its own. */
const settle = async (value: () => number): Promise<number> => {
  let [before, same] = [value(), 0];
  while (same < 60) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    same = value() === before ? same + 1 : 0;
    before = value();
  }
  return before;
};

// Over 1,600,000 rows are there; what was made fits the buffers of the sockets, ten times as many when compressed.
test.each([
  ['identity', 200_000],
  ['gzip', 900_000],
])('rows of an export are made only as fast as they are read: %s (G6.2)', async (encoding, bound) => {
  await withBox({ callsPerDay: 40_000 }, async ({ sandbox }) => {
    const headers = { authorization: `Bearer ${sandbox.adminKey}`, 'accept-encoding': encoding };
    const request = get(`${sandbox.baseUrl}/api/log/self/stream-export`, { headers, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.pause();
    const record = sandbox.requests.all().at(-1);
    expect(await settle(() => record?.pieces ?? 0)).toBeGreaterThan(0);
    expect(record?.done).toBe(false);
    response.destroy();
    await settle(() => Number(record?.done));
    expect(record?.done).toBe(true);
    expect(record?.pieces).toBeLessThan(bound);
  });
});

test('a sandbox with a certificate serves https', async () => {
  const pem = (name: string): string =>
    readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
  const tls = { key: pem('localhost.key'), cert: pem('localhost.pem') };
  await withBox({ callsPerDay: 5, tls }, async ({ sandbox }) => {
    expect(sandbox.baseUrl).toMatch(/^https:/u);
    const ask = async (): Promise<number | undefined> => {
      const headers = { authorization: `Bearer ${sandbox.adminKey}` };
      const options = { ca: pem('ca.pem'), headers, agent: false };
      const request = httpsRequest(`${sandbox.baseUrl}/api/user/self`, options).end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    expect(await ask()).toBe(200);
    sandbox.faults.plant({ kind: 'reset' });
    await expect(ask()).rejects.toThrow('hang up');
  });
});
