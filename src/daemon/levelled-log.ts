import type { Log } from '../core/index.ts';
import type { Config } from '../config/index.ts';

export type LogLevel = Config['settings']['log']['level'];

const request: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

/** A log whose level is asked for at each line, since a config that is taken up may change it. */
export const levelledLog = (log: Log, level: () => LogLevel): Log => {
  const from = (own: 'debug' | 'info' | 'warn' | 'error'): Log['info'] => {
    const rank = request.indexOf(own);
    return (message, fields) => {
      if (rank >= request.indexOf(level())) log[own](message, fields);
    };
  };
  return {
    debug: from('debug'),
    info: from('info'),
    warn: from('warn'),
    error: from('error'),
    with: (fields) => levelledLog(log.with(fields), level),
  };
};
