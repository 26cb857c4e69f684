import { catalogue, type FaultCode, type FaultEntry } from './fault-catalogue.ts';

/** An error from the catalogue: what happened (`message`), its code, the next step, whether a retry helps. */
export type Fault = Error & {
  readonly name: 'Fault';
  readonly code: FaultCode;
  readonly advice: string;
  readonly retryHelps: boolean;
  /** Process exit code: 1 the check or job failed, 2 wrong use. */
  readonly exitCode: 1 | 2;
  /** Milliseconds that the server requests to wait before a retry, if it does. */
  readonly retryAfter?: number | undefined;
};

export type FaultOptions = {
  readonly cause?: unknown;
  /** Replaces the catalogue's advice when the caller has a more precise one. */
  readonly advice?: string | undefined;
  /** Milliseconds. */
  readonly retryAfter?: number | undefined;
  /** Overrides the catalogue's entry on retries. */
  readonly retryHelps?: boolean;
};

/** Creates a catalogue error. The message states what happened and contains no secret. */
export const fault = (code: FaultCode, message: string, options: FaultOptions = {}): Fault => {
  const entry: FaultEntry = catalogue[code];
  const error =
    options.cause === undefined ? new Error(message) : new Error(message, { cause: options.cause });
  return Object.assign(error, {
    name: 'Fault' as const,
    code,
    advice: options.advice ?? entry.advice,
    retryHelps: options.retryHelps ?? entry.retryHelps,
    exitCode: entry.exitCode,
    retryAfter: options.retryAfter,
  });
};

/** The catalogue's advice for a stored code; undefined for one that no longer exists. */
export const adviceOf = (code: string | undefined): string | undefined =>
  code !== undefined && Object.hasOwn(catalogue, code) ? catalogue[code as FaultCode].advice : undefined;

export const isFault = (error: unknown): error is Fault =>
  error instanceof Error && error.name === 'Fault' && 'code' in error;

export const hasCode = (error: unknown, code: FaultCode): error is Fault =>
  isFault(error) && error.code === code;

/** The text of anything thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Two lines for a person: what happened, and the next step. Unknown errors keep their stack, known ones don't need it.
 */
export const describeError = (error: unknown): string => {
  if (isFault(error)) return `${error.message}\n  what to do: ${error.advice} (${error.code})`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};

/** Whether a write failed since the volume, or the quota of the user, has no space left. */
export const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '');

/** The `code` of a system or network error (`ENOSPC`, `ECONNREFUSED`), searched along the chain of causes. */
export const systemCode = (error: unknown): string | undefined => {
  for (
    let current = error, depth = 0;
    current instanceof Error && depth < 8;
    current = current.cause, depth += 1
  ) {
    if ('code' in current && typeof current.code === 'string' && current.name !== 'Fault')
      return current.code;
  }
  return undefined;
};
