import { silentLog } from '../base/index.ts';
import type { Log, LogFields, Means } from '../base/index.ts';

/** Fields that have their own place in the text, or that a person at a terminal has no use for. */
const apart = new Set(['error', 'advice', 'code', 'stack']);

/** `warning: mail put off: the mail server … (recipient ops@example.com)`, and what to do on a second line. */
export const plainLine = (level: 'warning' | 'error', message: string, fields: LogFields): string => {
  const { error, advice, code } = fields;
  const rest = Object.entries(fields)
    .filter(([name, value]) => !apart.has(name) && value !== undefined)
    .map(([name, value]) => `${name} ${value}`);
  const what = [`${level}: ${message}`, ...(error === undefined ? [] : [String(error)])].join(': ');
  const about = rest.length === 0 ? '' : ` (${rest.join(', ')})`;
  const toDo =
    advice === undefined ? '' : `\n  what to do: ${advice}${code === undefined ? '' : ` (${code})`}`;
  return `${what}${about}${toDo}\n`;
};

/** For commands that a person runs: warnings and errors as plain text on standard error, nothing else. */
export const createPlainLog = (
  means: Pick<Means, 'stderr' | 'secrets'>,
  beforeLine: () => void,
  bound: LogFields = {},
): Log => {
  const line =
    (level: 'warning' | 'error') =>
    (message: string, fields: LogFields = {}): void => {
      beforeLine();
      means.stderr.write(means.secrets.redact(plainLine(level, message, { ...bound, ...fields })));
    };
  return {
    ...silentLog,
    warn: line('warning'),
    error: line('error'),
    with: (fields) => createPlainLog(means, beforeLine, { ...bound, ...fields }),
  };
};
