import { Hono, type Context } from 'hono';
import { errorFields, jsonText, messageOf, type ConnectionLimits, type Log } from '../../core/index.ts';
import { openListener, type Listener } from '../open-listener.ts';
import type { PageView } from '../page-view.ts';
import { pageJson } from '../status-json.ts';
import { badge } from './badge.ts';
import { atomFeed, type FeedEntry } from './feed.ts';
import type { Html } from './messages.ts';
import { renderNote, renderPage } from './page.ts';
import { headers, isKnownHost, pagePolicy, reportPolicy } from './policies.ts';
import { readReport } from './read-report.ts';

/** Redacts each text before escaping, which would hide a secret from redaction. */
const redacted = <T>(value: T, redact: (text: string) => string): T =>
  JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? redact(part) : part)),
  ) as T;

export type PageOptions = {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Allowed host names, beside IP addresses and localhost. */
  readonly names: readonly string[];
  /** URL at which readers reach the page. */
  readonly publicUrl?: string | undefined;
  /** What to show, of all or of one team; undefined for an unknown team. */
  readonly view: (team: string | undefined) => Promise<PageView | undefined>;
  /** Newest first. */
  readonly feed: () => Promise<readonly FeedEntry[]>;
  /** The report archive. */
  readonly reportsDirectory: string;
  readonly redact: (text: string) => string;
  readonly log: Log;
  readonly limits?: ConnectionLimits;
};

const show = async (context: Context, page: Html, status: 200 | 404 | 405 | 421 | 503) =>
  context.html(await page, status);

/** Concurrent requests for the same part share one reading. */
const sharing = <T>(read: (name: string | undefined) => Promise<T>): typeof read => {
  const reading = new Map<string | undefined, Promise<T>>();
  return async (name) => {
    const known = reading.get(name) ?? read(name).finally(() => reading.delete(name));
    reading.set(name, known);
    return known;
  };
};

/** The page as an application: routes, without a listener. */
export const createPage = (options: PageOptions): Hono => {
  const { names, publicUrl, reportsDirectory, redact, log } = options;
  const read = sharing(async (team) => {
    const view = await options.view(team);
    return view === undefined ? undefined : redacted(view, redact);
  });
  const app = new Hono();
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    context.header('content-security-policy', pagePolicy);
    if (!isKnownHost(context.req.header('host'), names))
      return show(
        context,
        renderNote(
          'This page is not served under this host name. Open it by its IP address, or add the host name to status.names.',
        ),
        421,
      );
    if (context.req.method !== 'GET' && context.req.method !== 'HEAD') {
      context.header('allow', 'GET, HEAD');
      return show(context, renderNote('This page is read-only.'), 405);
    }
    return next();
  });
  const unknownTeam = async (context: Context) =>
    show(
      context,
      renderNote('The configuration has no such team. Open the page without ?team= to see all.'),
      404,
    );
  app.get('/', async (context) => {
    const view = await read(context.req.query('team'));
    return view === undefined ? unknownTeam(context) : show(context, renderPage(view), 200);
  });
  app.get('/status.json', async (context) => {
    const view = await read(context.req.query('team'));
    if (view === undefined) return unknownTeam(context);
    return context.body(jsonText(pageJson(view)), 200, { 'content-type': 'application/json' });
  });
  app.get('/badge/:file', async (context) => {
    const [, name] = /^(.+)\.svg$/.exec(context.req.param('file')) ?? [];
    const view = await read(undefined);
    const job = view?.status.jobs.find((one) => one.job === name);
    if (view === undefined || job === undefined)
      return show(context, renderNote('There is no job of this name. The address is /badge/JOB.svg.'), 404);
    const svg = String(await badge(job, view.status.now));
    return context.body(svg, 200, { 'content-type': 'image/svg+xml' });
  });
  app.get('/feed.atom', async (context) => {
    const feed = String(await atomFeed(redacted(await options.feed(), redact), publicUrl));
    return context.body(feed, 200, { 'content-type': 'application/atom+xml; charset=utf-8' });
  });
  app.get('/reports/:job/:slot', async (context) => {
    const { job, slot } = context.req.param();
    const report = await readReport(reportsDirectory, job, slot);
    if (report === undefined)
      return show(
        context,
        renderNote('The archive does not contain this report; old reports are removed.'),
        404,
      );
    context.header('content-security-policy', reportPolicy);
    return context.body(report, 200, { 'content-type': 'text/html; charset=utf-8' });
  });
  app.notFound((context) => show(context, renderNote('Page not found.'), 404));
  app.onError(async (error, context) => {
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
