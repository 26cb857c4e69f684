import { createSecretRegistry } from '../../../src/core/index.ts';
import { createLog } from '../../../src/core/logging/json-log.ts';
import { readSettings, startTracing } from '../../../src/tracing/index.ts';
import { manualClock } from '../../support/manual-clock.ts';

/** Tracing as an app starts it, with these variables. */
export const startTraced = async (env: Readonly<Record<string, string>>) => {
  const clock = manualClock();
  const lines: Readonly<Record<string, unknown>>[] = [];
  const waiting = new Map<number, () => void>();
  const secrets = createSecretRegistry();
  const log = createLog({
    write: (text) => {
      lines.push(JSON.parse(text) as Readonly<Record<string, unknown>>);
      waiting.get(lines.length)?.();
    },
    level: 'debug',
    clock,
    redact: secrets.redact,
  });
  const settings = readSettings(env, secrets, log);
  if (settings === undefined) throw new Error(`no traces: ${JSON.stringify(lines)}`);
  const tracing = await startTracing(settings, {
    env,
    userAgent: 'tollkeeper/test',
    version: '1.2.3',
    clock,
    log,
    redact: secrets.redact,
  });
  return {
    tracing,
    clock,
    logged: () => lines,
    /** Resolves when the log has so many lines. */
    hasLogged: (count: number) =>
      new Promise<void>((resolve) => {
        if (lines.length >= count) resolve();
        waiting.set(count, resolve);
      }),
    /** Measures so many calls: 512 are sent at once. */
    measureCalls: (count: number) => {
      for (let left = count; left > 0; left -= 1)
        tracing.measure({
          what: 'gateway-call',
          endpoint: 'GET /api/user/self',
          origin: 'https://gateway.example.com',
          status: 200,
          outcome: 'ok',
          seconds: 0.25,
        });
    },
  };
};
