import { errorFields, type Log } from '../../core/index.ts';

/** A listener without which jobs run all the same. */
export type OptionalListener = AsyncDisposable & {
  /** Missing while it is off, or cannot be served. */
  readonly address?: string;
};

export const noListener: OptionalListener = { [Symbol.asyncDispose]: () => Promise.resolve() };

type Served = {
  readonly what: string;
  /** Of the settings. */
  readonly section: string;
  readonly host: string;
  readonly log: Log;
};

/** Opens the listener; if it cannot be opened, logs why. */
export const openOptional = async (
  { what, section, host, log }: Served,
  listen: () => Promise<AsyncDisposable & { readonly port: number }>,
): Promise<OptionalListener> => {
  try {
    const listener = await listen();
    return {
      address: `${host.includes(':') ? `[${host}]` : host}:${listener.port}`,
      [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
    };
  } catch (error) {
    log.warn(`cannot serve ${what}`, {
      ...errorFields(error),
      advice: `set another address under ${section} in tollkeeper.yaml, or set enabled: false there`,
    });
    return noListener;
  }
};
