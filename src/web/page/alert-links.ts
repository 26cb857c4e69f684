import { html } from 'hono/html';
import type { Context, Hono } from 'hono';
import type { Clock, Log } from '../../core/index.ts';
import { readAlertLink, type AlertLink } from '../../monitoring/index.ts';
import type { Refuse } from '../guard.ts';
import { failure, fieldsOf, mutedUntil } from './actions.ts';
import type { LinkUse } from '../link-use.ts';
import { isolated, moment, type Html } from './widgets.ts';
import { renderNote } from './page.ts';
import { show } from './show.ts';

export type AlertLinkOptions = LinkUse & {
  /** The key that signs the links of mails. */
  readonly key: Buffer;
};

type LinkDeps = {
  readonly links: AlertLinkOptions;
  readonly clock: Clock;
  readonly zone: () => string;
  readonly refuse: Refuse;
  readonly log: Log;
};

const reasons = {
  invalid: ['invalid alert link', 'The link is incomplete or was changed. Open it from the mail again.', 404],
  expired: ['expired alert link', 'The link has expired.', 410],
  used: ['used alert link', 'The link was used before: it works once.', 410],
} as const;

const others = html`<p>
  <code>tollkeeper alerts</code> and the <a href="../">status page</a> also mute and acknowledge.
</p>`;

const question = ({ account, alert }: AlertLink, until: Html): Html =>
  renderNote(
    html`<h2>${isolated(alert)} <small>account ${isolated(account)}</small></h2>
      <p>Choose what to do about this alert. The link works once, until ${until}.</p>
      <form method="post">
        <p><button name="action" value="acknowledge">Acknowledge</button></p>
        <p class="quiet">
          Records that you know of it. Mails about higher thresholds and its end still arrive.
        </p>
      </form>
      <form method="post">
        <label>Days <input type="number" name="days" min="1" max="365" value="1" required /></label>
        <p><button name="action" value="mute">Mute</button></p>
        <p class="quiet">No mails about this alert until then; it is notified again if it still fires.</p>
      </form>`,
    'Tollkeeper: alert',
  );

/** The page that a link in an alert mail opens: it asks, and acts only on a POST. */
export const addAlertLinks = (app: Hono, { links, clock, zone, refuse, log }: LinkDeps): void => {
  const whoOf = ({ id }: AlertLink): string => `mail link ${id}`;
  const read = async (context: Context): Promise<AlertLink | keyof typeof reasons> => {
    const link = readAlertLink(context.req.param('link') ?? '', links.key, clock.now());
    return typeof link !== 'string' && (await links.wasUsed(whoOf(link))) ? 'used' : link;
  };
  const refused = async (context: Context, why: keyof typeof reasons) => {
    const [reason, text, status] = reasons[why];
    refuse(reason, 'use `tollkeeper alerts`, or the status page');
    return show(
      context,
      renderNote(
        html`<p>${text}</p>
          ${others}`,
      ),
      status,
    );
  };
  app.get('/alert-links/:link', async (context) => {
    const link = await read(context);
    if (typeof link === 'string') return refused(context, link);
    const look = { now: clock.now(), zone: zone() };
    return show(context, question(link, moment(link.expiresAt, look)), 200);
  });
  app.post('/alert-links/:link', async (context) => {
    const link = await read(context);
    if (typeof link === 'string') return refused(context, link);
    const { action, days } = await fieldsOf(context);
    const { account, alert } = link;
    const until = action === 'mute' ? mutedUntil(days, clock.now()) : undefined;
    try {
      if (!(await links.act({ account, alert, who: whoOf(link), until }))) return refused(context, 'used');
    } catch (error) {
      return failure(context, error, log);
    }
    log.info('action through the link of a mail', { action: action ?? 'acknowledge', account, alert });
    const done = action === 'mute' ? 'muted' : 'acknowledged';
    return show(
      context,
      renderNote(
        html`<p>${isolated(alert)} is ${done}.</p>
          ${others}`,
      ),
      200,
    );
  });
};
