import { html } from 'hono/html';
import type { Context, Hono } from 'hono';
import {
  dayMillis,
  errorFields,
  isFault,
  isSameSecret,
  unixMillis,
  type Clock,
  type Log,
  type UnixMillis,
} from '../../core/index.ts';
import type { Refuse } from '../guard.ts';
import type { Access } from './access.ts';
import { isolated, messageWithCommands } from './widgets.ts';
import { renderNote } from './page.ts';
import { show } from './show.ts';

export type AlertOf = { readonly account: string; readonly alert: string; readonly who: string };

/** What can be done on the page. Each throws a fault that says why it is not possible. */
export type PageActions = {
  /** Starts a run of the job, and does not wait for its end. */
  readonly run: (job: string) => Promise<void>;
  readonly acknowledge: (alert: AlertOf) => Promise<void>;
  readonly mute: (alert: AlertOf & { readonly until: UnixMillis }) => Promise<void>;
  readonly unmute: (alert: AlertOf) => Promise<void>;
  readonly resend: (id: string) => Promise<void>;
};

type Fields = Readonly<Record<string, string>>;

const longestMute = 365;

/** A number of days from a form: at least a day. */
export const mutedUntil = (days: string | undefined, now: UnixMillis): UnixMillis => {
  const count = /^\d{1,3}$/.test(days ?? '') ? Number(days) : 1;
  return unixMillis(now + Math.min(Math.max(count, 1), longestMute) * dayMillis);
};

/** The text fields of a form; others are ignored. */
export const fieldsOf = async (context: Context): Promise<Fields> =>
  Object.fromEntries(
    Object.entries(await context.req.parseBody()).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    ),
  );

export const failure = async (context: Context, error: unknown, log: Log) => {
  if (!isFault(error)) throw error;
  log.warn('an action on the status page is not possible', errorFields(error));
  return show(
    context,
    renderNote(
      html`<p>${isolated(error.message)}</p>
        <p><i>What to do:</i> ${messageWithCommands(error.advice)}</p>
        <p><a href="../">Back to the status page</a></p>`,
    ),
    400,
  );
};

type ActionDeps = {
  readonly access: Access;
  readonly actions: PageActions;
  readonly clock: Clock;
  readonly refuse: Refuse;
  readonly log: Log;
};

/** The forms of the page. Each needs a session, and the token of its forms. */
export const addActions = (app: Hono, { access, actions, clock, refuse, log }: ActionDeps): void => {
  const take: Readonly<
    Record<string, { readonly do: (fields: Fields, who: string) => Promise<void>; readonly back: string }>
  > = {
    run: { do: async ({ job = '' }) => actions.run(job), back: '../#jobs' },
    acknowledge: {
      do: async ({ alert = '', account = '' }, who) => actions.acknowledge({ alert, account, who }),
      back: '../#budgets-and-alerts',
    },
    mute: {
      do: async ({ alert = '', account = '', days }, who) =>
        actions.mute({ alert, account, who, until: mutedUntil(days, clock.now()) }),
      back: '../#budgets-and-alerts',
    },
    unmute: {
      do: async ({ alert = '', account = '' }, who) => actions.unmute({ alert, account, who }),
      back: '../#budgets-and-alerts',
    },
    resend: { do: async ({ id = '' }) => actions.resend(id), back: '../#mail' },
  };
  app.post('/actions/:action', async (context) => {
    const name = context.req.param('action');
    const action = Object.hasOwn(take, name) ? take[name] : undefined;
    if (action === undefined) return context.notFound();
    const session = await access.sessionOf(context);
    if (session === undefined) {
      refuse('action without a login', 'log in on the status page with the value of status.token');
      return show(context, renderNote(html`<p>Log in first: <a href="../login">log in</a>.</p>`), 401);
    }
    const { csrf = '', ...fields } = await fieldsOf(context);
    if (!isSameSecret(csrf, session.csrf)) {
      refuse('form of another page or session', 'open the status page again and use its buttons');
      return show(
        context,
        renderNote(
          html`<p>This form is out of date. <a href="../">Open the status page</a> and try again.</p>`,
        ),
        403,
      );
    }
    const who = session.name.trim() === '' ? 'person at the status page' : `person ${session.name.trim()}`;
    try {
      await action.do(fields, who);
    } catch (error) {
      return failure(context, error, log);
    }
    log.info('action on the status page', { action: name, who, ...fields });
    return context.redirect(action.back, 303);
  });
};
