// Preloaded into a program whose functions call `__enter`: writes down through which of them a request goes out.
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

const entered = new AsyncLocalStorage();

globalThis.__enter = (name, work) => entered.run([...(entered.getStore() ?? []), name], work);

const write = (request) =>
  appendFileSync(
    process.env.RECORDED_CALLS,
    `${JSON.stringify({ request, functions: entered.getStore() ?? [] })}\n`,
  );

const { request: send } = http;
http.request = (options, ...rest) => {
  if (options?.socketPath !== undefined) write(`control ${options.method} ${options.path}`);
  return send(options, ...rest);
};
syncBuiltinESMExports();

channel('undici:request:create').subscribe(({ request }) => write(`${request.method} ${request.path}`));
