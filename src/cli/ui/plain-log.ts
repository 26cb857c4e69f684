import { silentLog, type Log, type LogFields, type Deps } from '../../core/index.ts';

/** Fields shown elsewhere in the text, or useless to a person at a terminal. */
const apart = new Set(['error', 'advice', 'code', 'event', 'run', 'stack', 'milliseconds']);

/** `warning: mail put off: the mail server … (recipient ops@example.com)`, with the next step on a second line. */
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

export type IsOmitted = (fields: LogFields) => boolean;

/** Omits the end of the requested run, which the command prints as its outcome; the ends of runs it depends on are logged. */
export const endOf =
  (job: string): IsOmitted =>
  ({ event, job: ended }) =>
    event === 'run-end' && ended === job;

/** For commands run by people: only warnings and errors, as plain text on standard error. */
export const createPlainLog = (
  deps: Pick<Deps, 'stderr' | 'secrets'>,
  beforeLine: () => void,
  isOmitted: IsOmitted = () => false,
  bound: LogFields = {},
): Log => {
  const line =
    (level: 'warning' | 'error') =>
    (message: string, fields: LogFields = {}): void => {
      const all = { ...bound, ...fields };
      if (isOmitted(all)) return;
      beforeLine();
      deps.stderr.write(deps.secrets.redact(plainLine(level, message, all)));
    };
  return {
    ...silentLog,
    warn: line('warning'),
    error: line('error'),
    with: (fields) => createPlainLog(deps, beforeLine, isOmitted, { ...bound, ...fields }),
  };
};
