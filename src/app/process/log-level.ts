import { createLog, fault, logLevels, type Deps, type Log, type LogLevel } from '../../core/index.ts';

const variable = 'TOLLKEEPER_LOG_LEVEL';

/** The level that the environment sets; an empty variable sets none. @throws Fault `wrong-use` */
const levelOf = (env: Deps['env']): LogLevel | undefined => {
  const text = env[variable] ?? '';
  if (text === '') return undefined;
  const level = logLevels.find((one) => one === text);
  if (level === undefined)
    throw fault('wrong-use', `${variable} is ${JSON.stringify(text)}, which is not a log level`, {
      advice: `set ${variable} to ${logLevels.slice(0, -1).join(', ')} or ${logLevels.at(-1)}, or unset it to use log.level of the configuration`,
    });
  return level;
};

/** Evaluates the level per line, since a reload or a signal may change it. */
const levelledLog = (log: Log, level: () => LogLevel): Log => {
  const from = (own: 'debug' | 'info' | 'warn' | 'error'): Log['info'] => {
    const rank = logLevels.indexOf(own);
    return (message, fields) => {
      if (rank >= logLevels.indexOf(level())) log[own](message, fields);
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

type SwitchableLog = Disposable & {
  readonly log: Log;
  /** From now on, the level of the active config. */
  readonly follow: (configured: () => LogLevel) => void;
};

/**
 * The log of the daemon. The environment overrides the configured level; each SIGUSR2 switches between that level and
 * `debug`, until the log is disposed.
 * @throws Fault `wrong-use` for an unknown level in the environment
 */
export const openSwitchableLog = async (
  { env, stdout, clock, secrets, onUserSignal }: Deps,
  first: LogLevel,
): Promise<SwitchableLog> => {
  const forced = levelOf(env);
  let configured = (): LogLevel => first;
  let isDebug = false;
  const normal = (): LogLevel => forced ?? configured();
  const whole = await createLog({
    write: stdout.write,
    level: 'debug',
    clock,
    redact: secrets.redact,
  });
  const signal = onUserSignal(() => {
    isDebug = !isDebug;
    // Also at the level `silent`: whoever sends the signal sees that it has arrived.
    whole.info('received SIGUSR2; switched the log level', { log_level: isDebug ? 'debug' : normal() });
  });
  return {
    log: levelledLog(whole, () => (isDebug ? 'debug' : normal())),
    follow: (current) => {
      configured = current;
    },
    [Symbol.dispose]: () => signal[Symbol.dispose](),
  };
};
