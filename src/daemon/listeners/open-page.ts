import { errorFields, fault, iso, isLoopback, noProgress, shellWord, type Log } from '../../core/index.ts';
import { mayListen, type Config } from '../../config/index.ts';
import { listenForPage, listenForPassing, type PageActions } from '../../web/index.ts';
import { alertLinkKey } from '../alert-links.ts';
import type { ProgramHandlers } from '../handlers/handlers.ts';
import { noListener, openOptional, type OptionalListener } from './optional-listener.ts';

type Status = Config['settings']['status'];

type PageDeps = Omit<
  Parameters<typeof listenForPage>[0],
  'host' | 'port' | 'names' | 'publicUrl' | 'isOpen' | 'token' | 'proxies' | 'links' | 'actions'
> & {
  readonly handlers: Pick<
    ProgramHandlers,
    'run' | 'alerts/acknowledge' | 'alerts/mute' | 'alerts/unmute' | 'outbox/resend'
  >;
  readonly isJob: (name: string) => boolean;
  /** Whether something was done in this name before. */
  readonly wasUsed: (who: string) => Promise<boolean>;
};

/** The context of a command that runs in the background. */
const detached = { progress: noProgress, signal: new AbortController().signal };

const actionsOf = ({ handlers, isJob, log }: Pick<PageDeps, 'handlers' | 'isJob' | 'log'>): PageActions => ({
  run: async (job) => {
    if (!isJob(job))
      throw fault('job-unknown', `unknown job ${job}`, {
        advice: 'open the status page again: it lists the jobs',
      });
    // The run takes as long as it takes; its outcome is on the page.
    handlers
      .run({ job }, detached)
      .catch((error: unknown) =>
        log.warn('a run that was requested on the status page did not begin', { job, ...errorFields(error) }),
      );
  },
  acknowledge: async (alert) => void (await handlers['alerts/acknowledge'](alert)),
  mute: async ({ until, ...alert }) => void (await handlers['alerts/mute']({ ...alert, until: iso(until) })),
  unmute: async (alert) => void (await handlers['alerts/unmute'](alert)),
  resend: async (id) => {
    const [answer] = await handlers['outbox/resend']({ ids: [id] }, detached);
    if (answer?.done !== true)
      throw fault('wrong-use', `mail ${id} cannot be sent again: ${answer?.message ?? 'no such row'}`, {
        advice: `\`tollkeeper outbox resend ${shellWord(id)}\` tries the same`,
      });
  },
});

type Page = Awaited<ReturnType<typeof listenForPage>>;

/** Without a login, the page is one of this machine. */
const hostOf = (settings: Status): string => (mayListen(settings) ? settings.host : '127.0.0.1');

/** Serves the status page, if it is enabled. */
export const openPage = async (settings: Status, deps: PageDeps): Promise<OptionalListener<Page>> => {
  const { enabled, port, names, token, proxies, public_url: publicUrl } = settings;
  if (!enabled) return noListener;
  const host = hostOf(settings);
  const { log, handlers, isJob, wasUsed, ...rest } = deps;
  if (host !== settings.host)
    log.warn('the status page listens on 127.0.0.1 only: it has no login', {
      configured: settings.host,
      advice: `set status.token or status.proxies to listen on ${shellWord(settings.host)}`,
    });
  const key = alertLinkKey(settings);
  const known = publicUrl === undefined ? names : [...names, new URL(publicUrl).hostname];
  return openOptional({ what: 'the status page', section: 'status', host, log }, async () =>
    listenForPage({
      ...rest,
      log,
      host,
      port,
      names: known,
      publicUrl,
      isOpen: isLoopback(host),
      token,
      proxies,
      actions: actionsOf({ handlers, isJob, log }),
      links: key === undefined ? undefined : { key, wasUsed },
    }),
  );
};

/** Serves the status page of the working replica, if it is enabled: `ask` passes each request on to it. */
export const openPassedPage = async (
  settings: Status,
  log: Log,
  ask: Parameters<typeof listenForPassing>[0],
): Promise<OptionalListener> => {
  if (!settings.enabled) return noListener;
  const host = hostOf(settings);
  return openOptional({ what: 'the status page', section: 'status', host, log }, async () =>
    listenForPassing(ask, { host, port: settings.port }),
  );
};
