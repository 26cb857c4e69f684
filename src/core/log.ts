import { pino } from 'pino';
import type { Clock } from './clock.ts';
import { isFault, messageOf } from './fault.ts';

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export type Log = {
  readonly debug: (message: string, fields?: LogFields) => void;
  readonly info: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly error: (message: string, fields?: LogFields) => void;
  /** The same log with these fields on each line. */
  readonly with: (fields: LogFields) => Log;
};

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

/** For callers that have nothing to say. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLog,
};

/** The fields that describe an error in a log line. */
export const errorFields = (error: unknown): LogFields =>
  isFault(error)
    ? { error: error.message, code: error.code, advice: error.advice }
    : { error: messageOf(error), stack: error instanceof Error ? error.stack : undefined };
