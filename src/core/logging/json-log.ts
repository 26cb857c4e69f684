import { pino } from 'pino';
import type { Clock } from '../clock.ts';
import type { Log, LogFields } from './log.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export type LogOptions = {
  readonly write: (line: string) => void;
  readonly level: LogLevel;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
};

/** JSON lines, each redacted as a whole just before it is written. */
export const createLog = (options: LogOptions): Log => {
  const root = pino(
    {
      level: options.level,
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date(options.clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => options.write(options.redact(line)) },
  );
  const wrap = (bound: LogFields): Log => ({
    debug: (message, fields) => root.debug({ ...bound, ...fields }, message),
    info: (message, fields) => root.info({ ...bound, ...fields }, message),
    warn: (message, fields) => root.warn({ ...bound, ...fields }, message),
    error: (message, fields) => root.error({ ...bound, ...fields }, message),
    with: (fields) => wrap({ ...bound, ...fields }),
  });
  return wrap({});
};
