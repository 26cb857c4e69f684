import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildProgram } from './support/built-program.ts';
import { defaultConfig, openFolder } from '../support/program.ts';

/** Bytes of the image that the gateway answers with. */
const imageBytes = 100 * 1024 * 1024;

/** A gateway whose image is in base64, sent as fast as it is read. */
const openGateway = async () => {
  const piece = Buffer.alloc(3 * 64 * 1024, 7).toString('base64');
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"created":1,"data":[{"b64_json":"');
    let left = imageBytes;
    const send = (): void => {
      while (left > 0) {
        const bytes = Math.min(left, 3 * 64 * 1024);
        left -= bytes;
        const isWhole = bytes === 3 * 64 * 1024;
        if (!response.write(isWhole ? piece : Buffer.alloc(bytes, 7).toString('base64'))) {
          response.once('drain', send);
          return;
        }
      }
      response.end('"}]}');
    };
    send();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** The peak of the resident memory of a process so far, in MB; 0 when it has ended. */
const peakOf = (pid: number): number => {
  try {
    const [, kilobytes = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return 0;
  }
};

it.skipIf(process.platform !== 'linux')(
  'a call that saves an image of 100 MB takes less than 200 MB of memory (/proc is of Linux)',
  async () => {
    await using gateway = await openGateway();
    await using folder = await openFolder();
    await defaultConfig(folder);
    await using program = await buildProgram();
    const argv = [
      'call',
      'generate-image',
      '--key-env',
      'API_KEY',
      '--model',
      'm',
      '--prompt',
      'x',
      '--save',
      'out',
    ];
    const child = spawn(process.execPath, [join(program.folder, 'dist/main.js'), ...argv], {
      cwd: folder.path,
      env: {
        PATH: process.env['PATH'],
        GATEWAY_BASE_URL: gateway.url,
        GATEWAY_ADMIN_KEY: 'sk-admin-0123456789abcdefghij',
        SMTP_URL: 'smtp://127.0.0.1:1',
        API_KEY: 'sk-0123456789abcdefghij',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let peak = 0;
    const looking = setInterval(() => {
      peak = Math.max(peak, peakOf(child.pid ?? 0));
    }, 20);
    let stdout = '';
    child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
    try {
      const [code] = (await once(child, 'close')) as [number];
      expect([code, stdout]).toEqual([0, 'saved out/generate-image-1.bin (104.9 MB)\n']);
    } finally {
      clearInterval(looking);
    }
    expect(statSync(join(folder.path, 'out/generate-image-1.bin')).size).toBe(imageBytes);
    expect(peak).toBeGreaterThan(30);
    expect(peak).toBeLessThan(200);
  },
);
