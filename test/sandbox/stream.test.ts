import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { tls } from './certificate.ts';
import { NOW, withBox, type Box } from './support.ts';

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

const exportOf = async (box: Box, acceptEncoding: string): Promise<IncomingMessage> => {
  const request = get(`${box.sandbox.baseUrl}/api/log/self/stream-export`, {
    headers: { authorization: `Bearer ${box.sandbox.adminKey}`, 'accept-encoding': acceptEncoding },
    agent: false,
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
};

describe('a large export', () => {
  test.each(['identity', 'gzip'])(
    'rows are made only as fast as they are read: %s (G6.2)',
    async (acceptEncoding) => {
      await withBox({ callsPerDay: 40_000 }, async (box) => {
        const response = await exportOf(box, acceptEncoding);
        response.pause();
        const record = box.sandbox.requests.all().at(-1);
        const made = await settle(() => record?.pieces ?? 0);
        // Over 1,600,000 rows are there; what was made fits the buffers of the sockets, ten times as many when compressed.
        const bound = acceptEncoding === 'gzip' ? 900_000 : 200_000;
        expect(made).toBeGreaterThan(0);
        expect(made).toBeLessThan(bound);
        expect(record?.done).toBe(false);
        response.destroy();
        await settle(() => Number(record?.done));
        expect(record?.done).toBe(true);
        expect(record?.pieces).toBeLessThan(bound);
      });
    },
  );

  test('streams half a million rows with constant memory', async () => {
    await withBox({ callsPerDay: 16_000 }, async (box) => {
      const response = await exportOf(box, 'identity');
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      // What was freed is not given back at once, so only what is in use counts.
      const used = (): number => {
        collect();
        const { heapUsed, external } = process.memoryUsage();
        return heapUsed + external;
      };
      let [bytes, lines, looked, most] = [0, 0, 0, 0];
      const start = used();
      for await (const chunk of response as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
        if (bytes - looked < 5_000_000) continue;
        looked = bytes;
        most = Math.max(most, used() - start);
      }
      expect(lines).toBeGreaterThan(500_000);
      expect(bytes).toBeGreaterThan(50_000_000);
      expect(most).toBeLessThan(25 * 1024 * 1024);
    });
  });
});

test('a sandbox with a certificate serves https', async () => {
  const sandbox = await startSandbox({ now: () => NOW, months: 1, callsPerDay: 5, tls });
  try {
    expect(sandbox.baseUrl).toMatch(/^https:/u);
    const ask = async (): Promise<number | undefined> => {
      const headers = { authorization: `Bearer ${sandbox.adminKey}` };
      const request = httpsRequest(`${sandbox.baseUrl}/api/user/self`, {
        ca: tls.cert,
        headers,
        agent: false,
      }).end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    expect(await ask()).toBe(200);
    sandbox.faults.plant({ kind: 'reset' });
    await expect(ask()).rejects.toThrow('hang up');
  } finally {
    await sandbox.stop();
  }
});
