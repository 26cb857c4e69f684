import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import {
  errorFields,
  jsonText,
  messageOf,
  type Clock,
  type ConnectionLimits,
  type Log,
} from '../../core/index.ts';
import { createRefusals, isKnownHost, type Refuse } from '../guard.ts';
import { openListener, type Listener } from '../open-listener.ts';
import { pageJson, type PageView, type StatusView } from '../sections/registry.ts';
import { createAccess, type Access, type AccessOptions } from './access.ts';
import { addActions, type PageActions } from './actions.ts';
import { addAlertLinks, type AlertLinkOptions } from './alert-links.ts';
import { badge } from './badge.ts';
import { atomFeed, type FeedEntry } from './feed.ts';
import { addLogin } from './login.ts';
import { renderNote, renderPage } from './page.ts';
import { headers, pagePolicy, reportPolicy } from './policies.ts';
import { show } from './show.ts';

/** Bytes of a form. */
const maxForm = 16_384;

/** Redacts each text before escaping, which would hide a secret from redaction. */
const redacted = <T>(value: T, redact: (text: string) => string): T =>
  JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? redact(part) : part)),
  ) as T;

export type PageOptions = Pick<AccessOptions, 'isOpen' | 'token' | 'feedToken' | 'proxies' | 'ended'> & {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Allowed host names, beside IP addresses and localhost. */
  readonly names: readonly string[];
  /** URL at which readers reach the page. */
  readonly publicUrl?: string | undefined;
  /** What to show, of all or of one team; undefined for an unknown team. */
  readonly view: (team: string | undefined) => Promise<PageView | undefined>;
  /** The jobs alone, for badges: cheaper than `view`, which reads everything that the page shows. */
  readonly status: () => Promise<Pick<StatusView, 'jobs' | 'now'>>;
  /** Newest first. */
  readonly feed: () => Promise<readonly FeedEntry[]>;
  readonly actions: PageActions;
  /** Missing where mails carry no links. */
  readonly links?: AlertLinkOptions | undefined;
  /** Time zone of the page. */
  readonly zone: () => string;
  /** The HTML of an archived report; undefined if there is none. */
  readonly report: (job: string, slot: string) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  readonly log: Log;
  readonly limits?: ConnectionLimits;
};

/** Concurrent requests for the same part share one reading. */
const sharing = <T>(read: (name: string | undefined) => Promise<T>): typeof read => {
  const reading = new Map<string | undefined, Promise<T>>();
  return async (name) => {
    const known = reading.get(name) ?? read(name).finally(() => reading.delete(name));
    reading.set(name, known);
    return known;
  };
};

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).host : undefined);

/** Behind a proxy that ends TLS, the origin of a form has another scheme than the request. */
const isOwnOrigin = (origin: string, context: Context, publicUrl: string | undefined): boolean => {
  const host = hostOf(origin);
  return host !== undefined && [context.req.header('host'), hostOf(publicUrl ?? '')].includes(host);
};

const addGuards = (
  app: Hono,
  access: Access,
  refuse: Refuse,
  { names, publicUrl, token }: PageOptions,
): void => {
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    context.header('content-security-policy', pagePolicy);
    if (!isKnownHost(context.req.header('host'), names)) {
      refuse('unknown host name', 'open the page by an IP address, or add the host name to status.names');
      return show(
        context,
        renderNote(
          'This page is not served under this host name. Open it by its IP address, or add the host name to status.names.',
        ),
        421,
      );
    }
    if (
      !['GET', 'HEAD', 'POST'].includes(context.req.method) ||
      (context.req.method === 'POST' && token === undefined)
    ) {
      context.header('allow', token === undefined ? 'GET, HEAD' : 'GET, HEAD, POST');
      return show(context, renderNote('This page is read-only.'), 405);
    }
    return next();
  });
  app.use(
    bodyLimit({
      maxSize: maxForm,
      onError: (context) => show(context, renderNote('The form is too large.'), 413),
    }),
  );
  app.use(csrf({ origin: (origin, context) => isOwnOrigin(origin, context, publicUrl) }));
  app.use(async (context, next) => {
    const { path } = context.req;
    if (path === '/login' || path.startsWith('/alert-links/') || (await access.mayRead(context)))
      return next();
    refuse(
      'reading without a login',
      'log in with the value of status.token, or come through a proxy of status.proxies',
    );
    const hasToken =
      context.req.header('authorization') !== undefined || context.req.query('token') !== undefined;
    if (token === undefined && !hasToken)
      return show(context, renderNote('This page is served only through its proxy, which logs you in.'), 403);
    if (path === '/' && !hasToken) return context.redirect('./login', 303);
    if (hasToken && access.guesses.areTooMany(context)) {
      context.header('retry-after', '60');
      return show(context, renderNote('Too many wrong tokens. Try again in a minute.'), 429);
    }
    context.header('www-authenticate', 'Bearer');
    return show(context, renderNote('Log in first, or send the token as a bearer token.'), 401);
  });
};

/** The page as an application: its routes, without a listener. */
const createPage = (options: PageOptions): Hono => {
  const { publicUrl, redact, log, clock, links, actions, zone } = options;
  const refuse = createRefusals('refused a request for the status page', clock, log);
  const access = createAccess({ ...options, refuse, secure: publicUrl?.startsWith('https:') === true });
  const read = sharing(async (team) => {
    const view = await options.view(team);
    return view === undefined ? undefined : redacted(view, redact);
  });
  const app = new Hono();
  addGuards(app, access, refuse, options);
  const unknownTeam = async (context: Context) =>
    show(
      context,
      renderNote('The configuration has no such team. Open the page without ?team= to see all.'),
      404,
    );
  app.get('/', async (context) => {
    const view = await read(context.req.query('team'));
    if (view === undefined) return unknownTeam(context);
    const session = await access.sessionOf(context);
    // Who may act may also pass on what others read.
    const addresses =
      session === undefined ? [] : (access.urlTokens?.pathsOf(view.status.jobs.map(({ job }) => job)) ?? []);
    return show(
      context,
      renderPage(view, { canLogIn: access.sessions !== undefined, session, addresses }),
      200,
    );
  });
  app.get('/status.json', async (context) => {
    const view = await read(context.req.query('team'));
    if (view === undefined) return unknownTeam(context);
    return context.body(jsonText(pageJson(view)), 200, { 'content-type': 'application/json' });
  });
  app.get('/badge/:file', async (context) => {
    const [, name] = /^(.+)\.svg$/.exec(context.req.param('file')) ?? [];
    const { jobs, now } = await options.status();
    const job = jobs.find((one) => one.job === name);
    if (job === undefined)
      return show(context, renderNote('There is no job of this name. The address is /badge/JOB.svg.'), 404);
    const svg = String(await badge(redacted(job, redact), now));
    return context.body(svg, 200, { 'content-type': 'image/svg+xml' });
  });
  app.get('/feed.atom', async (context) => {
    const feed = String(await atomFeed(redacted(await options.feed(), redact), publicUrl));
    return context.body(feed, 200, { 'content-type': 'application/atom+xml; charset=utf-8' });
  });
  app.get('/reports/:job/:slot', async (context) => {
    const { job, slot } = context.req.param();
    const report = await options.report(job, slot);
    if (report === undefined)
      return show(
        context,
        renderNote('The archive does not contain this report; old reports are removed.'),
        404,
      );
    context.header('content-security-policy', reportPolicy);
    return context.body(report, 200, { 'content-type': 'text/html; charset=utf-8' });
  });
  if (access.sessions !== undefined) {
    addLogin(app, access.sessions, access, refuse);
    addActions(app, { access, actions, clock, refuse, log });
  }
  if (links !== undefined) addAlertLinks(app, { links, clock, zone, refuse, log });
  app.notFound((context) => show(context, renderNote('Page not found.'), 404));
  app.onError(async (error, context) => {
    if (error instanceof HTTPException && error.status === 403) {
      refuse('form of another site', 'use the buttons of the status page; a foreign page cannot act for you');
      return show(context, renderNote('This request comes from another site and was refused.'), 403);
    }
    log.error('the status page cannot read the status', errorFields(error));
    return show(
      context,
      renderNote(`The status is not available at this moment: ${redact(messageOf(error))}`),
      503,
    );
  });
  return app;
};

/**
 * Serves the status page and the archived reports on a separate listener.
 * @throws Fault `port-in-use`, `wrong-use`
 */
export const listenForPage = async (options: PageOptions): Promise<Listener> =>
  openListener(createPage(options), { ...options, section: 'status' });
