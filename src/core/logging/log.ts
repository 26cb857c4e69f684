import { isFault, messageOf } from '../fault.ts';

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export type Log = {
  readonly debug: (message: string, fields?: LogFields) => void;
  readonly info: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly error: (message: string, fields?: LogFields) => void;
  /** The same log with these fields on each line. */
  readonly with: (fields: LogFields) => Log;
};

/** For callers that log nothing. */
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
