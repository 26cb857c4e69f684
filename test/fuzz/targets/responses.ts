import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createSecretRegistry,
  isFault,
  silentLog,
  systemClock,
  unixSeconds,
} from '../../../src/core/index.ts';
import { createGateway } from '../../../src/gateway/index.ts';
import { createHttp } from '../../../src/http/index.ts';
import type { Target } from '../target.ts';

const wrap = (data: string): string => `200 application/json\n{"success":true,"message":"","data":${data}}`;

const key =
  '{"id":7,"name":"growth-1","key":"k3yv4lue","status":1,"created_time":1760000000,"accessed_time":1760000100,"expired_time":-1,"remain_quota":"12.5","used_quota":1.25,"unlimited_quota":false,"model_limits":"gpt-4o,claude","allow_ips":"","group":""}';

const rejected = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!isFault(error)) throw error;
    // What a person reads of it.
    if (error.message.length > 20_000)
      throw new RangeError(`a message of ${error.message.length} characters`);
  }
};

/** A server that answers every request with the case: status and content type in the first line, then the body. */
export const responses: Target = {
  grammar: {
    token: /"(?:[^"\\\n]|\\.)*"|[A-Za-z_/]+|[-+.\deE]+|\s+|[^]/g,
    words: [
      '{"data":[],"total":99999999999}',
      'null',
      'true',
      '""',
      '[]',
      '{}',
      '{"__proto__":{"x":1}}',
      '\\ud800',
      '<title>',
      '<script>',
      '</p>',
      '502 text/html',
      '200 text/csv',
      '429 application/json',
      '200 application/octet-stream',
      '\r\n',
      '"sk-0123456789abcdefghijklmnopqrstuv"',
      '"\\u202e"',
      '\u0000',
      ',',
      'created_at,model_name,quota\n',
      '1,2,3\n',
      '"',
    ],
    brackets: [
      ['[', ']'],
      ['{"a":', '}'],
      ['<b>', '</b>'],
      ['"', '"'],
    ],
  },
  seeds: [
    wrap(`{"items":[${key},${key}],"total":2,"page":1,"page_size":100}`),
    wrap(`[${key}]`),
    wrap('{"quota":123,"rpm":1,"tpm":2}'),
    wrap('{"id":1,"username":"acme","quota":"100.25","used_quota":3,"request_count":12}'),
    '401 application/json\n{"success":false,"message":"no access"}',
    '502 text/html\n<html><head><title>Bad gateway</title></head><body><p>down</p></body></html>',
    '200 text/csv\ncreated_at,type,model_name,token_name,prompt_tokens,completion_tokens,quota\n1760000000,2,gpt-4o,growth,10,20,0.5\n',
  ],
  open: async () => {
    let answer = '';
    const server = createServer((_request, response) => {
      const [, status = '200', type = 'application/json', body = answer] =
        /^(\d{3}) ([\w/+.-]{1,60})\n([^]*)$/.exec(answer) ?? [];
      response
        .writeHead(Math.min(599, Math.max(200, Number(status))), { 'content-type': type, 'retry-after': '0' })
        .end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const secrets = createSecretRegistry();
    const http = createHttp({
      userAgent: 'tollkeeper/fuzz',
      env: {},
      timeouts: { connect: 5000, headers: 20_000, idle: 20_000, total: 60_000 },
    });
    const gateway = createGateway({
      baseUrl: `http://127.0.0.1:${port}`,
      adminKey: secrets.register('sk-admin-0123456789abcdefghijklmnop'),
      http,
      clock: systemClock,
      random: () => 0,
      log: silentLog,
      secrets,
      retry: { attempts: 1, initial: 1, max: 1, longestRetryAfter: 1 },
    });
    const range = { start: unixSeconds(1_760_000_000), end: unixSeconds(1_760_086_400) };
    return {
      run: async (text) => {
        answer = text;
        await rejected(async () => gateway.profile());
        await rejected(async () => gateway.statistics(range));
        await rejected(async () => gateway.keyPage({ page: 1, pageSize: 100 }));
        await rejected(async () => gateway.readKey(7));
        await rejected(async () => {
          const { body } = await gateway.exportLogs({
            ...range,
            columns: ['created_at', 'quota'],
            currency: 'USD',
          });
          for await (const _piece of body) continue;
        });
        secrets.redact(text);
      },
      [Symbol.asyncDispose]: async () => {
        await http[Symbol.asyncDispose]();
        server.closeAllConnections();
        server.close();
      },
    };
  },
};
