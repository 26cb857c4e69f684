import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from '../../program/support/built-program.ts';
import type { Target } from '../target.ts';

const request = (line: string, body = ''): string =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;

const settings = `accounts:
  main: { base_url: "http://127.0.0.1:9", admin_key: "\${ADMIN_KEY}" }
warehouse: { memory_limit: 128MB, threads: 1 }
health: { host: 127.0.0.1, port: 0 }
status: { port: 0 }
`;

type Address = { readonly host: string; readonly port: number } | { readonly path: string };

/** Sends the bytes and waits for the end of the connection, or for its first answer. */
const send = async (address: Address, bytes: string): Promise<string> => {
  const socket = connect(address);
  try {
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    const answered = new Promise<string>((resolve) => {
      socket.once('data', (piece: Buffer) => resolve(piece.toString('latin1')));
      socket.once('close', () => resolve(''));
    });
    socket.end(Buffer.from(bytes, 'latin1'));
    return await answered;
  } finally {
    socket.destroy();
  }
};

const addressOf = (text: string): Address => {
  const [, host = '127.0.0.1', port = '0'] = /^(?:http:\/\/)?([\d.]+):(\d+)/.exec(text) ?? [];
  return { host, port: Number(port) };
};

/** Requests to each port of a daemon: health, status page and the control socket. */
export const requests: Target = {
  grammar: {
    token: /\r\n|[\w.-]+|\s|[^]/g,
    words: [
      'GET',
      'POST',
      ' HTTP/1.1\r\n',
      'Host: evil.example\r\n',
      'Transfer-Encoding: chunked\r\n',
      'Content-Length: 99999999999\r\n',
      '\r\n\r\n',
      '\0',
      '%00',
      '../',
      '%2e%2e/',
      '?a=b',
      '#',
      'Expect: 100-continue\r\n',
      'Upgrade: h2c\r\n',
      'ffffffffffffffff\r\n',
      '0\r\n\r\n',
      '{"',
      '":',
      'null',
      '/healthz',
      '/readyz',
      '/command/run',
      'Cookie: ',
      'Range: bytes=0-\r\n',
      'PRI * HTTP/2.0\r\n',
    ],
    brackets: [
      ['{"a":', '}'],
      ['[', ']'],
      ['/', '/'],
      ['"', '"'],
    ],
  },
  seeds: [
    request('GET /healthz'),
    request('GET /readyz'),
    request('GET /'),
    request('GET /favicon.ico'),
    request('POST /status', '{}'),
    request('POST /run', '{"job":"pull-logs"}'),
    request('POST /runs', '{"limit":10,"job":null}'),
  ],
  open: async () => {
    const program = await buildProgram();
    const folder = await mkdtemp(join(tmpdir(), 'fuzz-requests-'));
    await mkdir(join(folder, 'config/jobs'), { recursive: true });
    await writeFile(join(folder, 'config/tollkeeper.yaml'), settings);
    const daemon = program.start(['serve'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ADMIN_KEY: 'sk-admin-0123456789abcdefghijklmnop', TZ: 'UTC' },
    });
    const serving = JSON.parse(await daemon.line('"serving"')) as {
      readonly health?: string;
      readonly page?: string;
    };
    const sockets = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.sock'));
    const health = addressOf(serving.health ?? '');
    const addresses: readonly Address[] = [
      health,
      addressOf(serving.page ?? ''),
      ...sockets.map((name) => ({ path: join(folder, name) })),
    ];
    if (addresses.length < 3) throw new RangeError(`the daemon listens at ${JSON.stringify(addresses)} only`);
    return {
      run: async (text) => {
        for (const address of addresses) {
          const answer = await send(address, text);
          if (/^HTTP\/1\.1 5(?!03)/.test(answer)) throw new RangeError(answer.slice(0, 500));
        }
        const answer = await send(health, request('GET /healthz'));
        if (!answer.startsWith('HTTP/1.1 200')) throw new RangeError(`health: ${answer.slice(0, 200)}`);
      },
      [Symbol.asyncDispose]: async () => {
        daemon.kill('SIGTERM');
        await daemon.ended;
        await rm(folder, { recursive: true, force: true });
        await program[Symbol.asyncDispose]();
      },
    };
  },
};
