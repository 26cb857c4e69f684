import { errorFields } from '../core/index.ts';
import type { Config } from '../config/index.ts';
import { listenForPage } from '../web/index.ts';

type PageDeps = Omit<Parameters<typeof listenForPage>[0], 'host' | 'port' | 'names' | 'publicUrl'>;

export type Page = AsyncDisposable & {
  readonly address?: string;
};

const none: Page = { [Symbol.asyncDispose]: () => Promise.resolve() };

/** Serves the status page. If it cannot be served, an error is logged and jobs run all the same. */
export const openPage = async (
  { enabled, host, port, names, public_url: publicUrl }: Config['settings']['status'],
  deps: PageDeps,
): Promise<Page> => {
  if (!enabled) return none;
  try {
    const known = publicUrl === undefined ? names : [...names, new URL(publicUrl).hostname];
    const listener = await listenForPage({ ...deps, host, port, names: known, publicUrl });
    return {
      address: `${host.includes(':') ? `[${host}]` : host}:${listener.port}`,
      [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
    };
  } catch (error) {
    deps.log.warn('cannot serve the status page', {
      ...errorFields(error),
      advice: 'set another address under status in tollkeeper.yaml, or set enabled: false there',
    });
    return none;
  }
};
