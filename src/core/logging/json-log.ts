import { pino } from 'pino';
import type { LogLevel } from '../choices.ts';
import type { Clock } from '../clock.ts';
import type { Log, LogFields } from './log.ts';

export type LogOptions = {
  readonly write: (line: string) => void;
  readonly level: LogLevel;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
};

/** Names that a line has itself: a field of the same name would be there twice, and readers take either. */
const reserved: ReadonlySet<string> = new Set(['message', 'level', 'time']);

/** JSON lines. Values are redacted before they are serialized, so that no secret can break the JSON of a line. */
export const createLog = (options: LogOptions): Log => {
  const root = pino(
    {
      level: options.level,
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date(options.clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: options.write },
  );
  const wrap = (bound: LogFields): Log => {
    const at =
      (level: 'debug' | 'info' | 'warn' | 'error') =>
      (message: string, fields?: LogFields): void => {
        if (!root.isLevelEnabled(level)) return;
        const values = Object.entries({ ...bound, ...fields }).map(([name, value]) => [
          reserved.has(name) ? `field_${name}` : name,
          typeof value === 'string' ? options.redact(value) : value,
        ]);
        root[level](Object.fromEntries(values) as LogFields, options.redact(message));
      };
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      with: (fields) => wrap({ ...bound, ...fields }),
    };
  };
  return wrap({});
};
