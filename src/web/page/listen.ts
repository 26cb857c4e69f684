import { createHash } from 'node:crypto';
import { Hono, type Context } from 'hono';
import { errorFields, messageOf, type ConnectionLimits, type Log } from '../../core/index.ts';
import type { OutboxState } from '../../storage/index.ts';
import type { OutboxView, StatusView } from '../status-view.ts';
import { isKnownHost } from '../known-host.ts';
import { openListener, type Listener } from '../open-listener.ts';
import { renderNote, renderPage } from './page.ts';
import { readReport } from './read-report.ts';
import { style } from './style.ts';

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
  readonly status: () => Promise<StatusView>;
  readonly outbox: (query: {
    readonly states: readonly OutboxState[];
    readonly limit: number;
  }) => Promise<readonly OutboxView[]>;
  /** The report archive. */
  readonly reportsDirectory: string;
  readonly redact: (text: string) => string;
  readonly log: Log;
  readonly limits?: ConnectionLimits;
};

const maxMails = { stuck: 50, waiting: 20 };

const headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), interest-cohort=()',
};

const policy = (styles: string, more: string): string =>
  `default-src 'none'; style-src ${styles}; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'${more}`;

const pagePolicy = policy(`'sha256-${createHash('sha256').update(style).digest('base64')}'`, '');
/** Reports contain inline styles and no scripts; the sandbox keeps their links from acting as this page. */
const reportPolicy = policy("'unsafe-inline'", '; sandbox allow-popups allow-popups-to-escape-sandbox');

const show = async (
  context: Context,
  page: ReturnType<typeof renderNote>,
  status: 200 | 404 | 405 | 421 | 503,
) => context.html(await page, status);

/** @throws what `status` and `outbox` throw */
const read = async (options: PageOptions) => {
  const status = await options.status();
  const { waiting, failed, unknown } = status.mail;
  const stuck =
    failed + unknown === 0
      ? []
      : await options.outbox({ states: ['failed', 'unknown'], limit: maxMails.stuck });
  const queue =
    waiting === 0
      ? []
      : await options.outbox({ states: ['queued', 'sending', 'deferred'], limit: maxMails.waiting });
  return redacted({ status, mails: { stuck, waiting: queue } }, options.redact);
};

/**
 * Serves the status page and the archived reports, read-only and without a password, on a separate listener.
 * @throws Fault `port-in-use`, `wrong-use`
 */
export const listenForPage = async (options: PageOptions): Promise<Listener> => {
  const { names, reportsDirectory, redact, log } = options;
  /** Concurrent requests share one query of the status. */
  let reading: ReturnType<typeof read> | undefined;
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
  app.get('/', async (context) => {
    reading ??= read(options).finally(() => {
      reading = undefined;
    });
    const { status, mails } = await reading;
    return show(context, renderPage(status, mails), 200);
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
  return openListener(app, { ...options, section: 'status' });
};
