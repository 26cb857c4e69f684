import { isLoopback, shellWord } from '../../core/index.ts';
import { mayListen, type Config } from '../../config/index.ts';
import { listenForPage } from '../../web/index.ts';
import { alertLinkKey } from '../notifications/alert-links.ts';
import { noListener, openOptional, type OptionalListener } from './optional-listener.ts';
import type { PageSource } from './page-source.ts';

type Status = Config['settings']['status'];

type PageDeps = Pick<Parameters<typeof listenForPage>[0], 'zone' | 'clock' | 'redact' | 'log'> & {
  readonly source: PageSource;
};

/** Without a login, the page is one of this machine. */
const hostOf = (settings: Status): string => (mayListen(settings) ? settings.host : '127.0.0.1');

/** Serves the status page, if it is enabled. This replica checks logins, sessions, forms and links itself; `source` provides the data. */
export const openPage = async (
  settings: Status,
  { source: { links, ...shown }, ...deps }: PageDeps,
): Promise<OptionalListener> => {
  const { enabled, port, names, token, feed_token: feedToken, proxies, public_url: publicUrl } = settings;
  if (!enabled) return noListener;
  const host = hostOf(settings);
  const { log } = deps;
  if (host !== settings.host)
    log.warn('the status page listens on 127.0.0.1 only: it has no login', {
      configured: settings.host,
      advice: `set status.token or status.proxies to listen on ${shellWord(settings.host)}`,
    });
  const key = alertLinkKey(settings);
  const known = publicUrl === undefined ? names : [...names, new URL(publicUrl).hostname];
  return openOptional({ what: 'the status page', section: 'status', host, log }, async () =>
    listenForPage({
      ...deps,
      ...shown,
      host,
      port,
      names: known,
      publicUrl,
      isOpen: isLoopback(host),
      token,
      feedToken,
      proxies,
      links: key === undefined ? undefined : { key, ...links },
    }),
  );
};
