import { html, raw } from 'hono/html';
import type { PageView } from '../page-view.ts';
import { accountsSection, rotationsSection } from './accounts.ts';
import { alertsSection } from './budgets.ts';
import { stateOf, verdictOf } from './heading.ts';
import { jobsSection, openSection } from './jobs.ts';
import { keysSection } from './keys.ts';
import { mailsSection } from './mails.ts';
import { nextMailsSection } from './next-mails.ts';
import { reportsSection } from './reports.ts';
import { refreshScript } from './script.ts';
import { spendSection } from './spend.ts';
import type { Session } from './session.ts';
import { style } from './style.ts';
import { isolated, moment, teamLink, type Html } from './messages.ts';

const document = (title: string, body: Html, more: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${raw(`<style>${style}</style>`)} ${more}
      </head>
      <body>
        ${body}
      </body>
    </html>`;

const teamsNav = ({ teams, team }: PageView): Html =>
  teams.length === 0
    ? html``
    : html`<nav aria-label="Teams">
        ${team === undefined ? html`<b aria-current="page">All</b>` : html`<a href="./">All</a>`}
        ${teams.map((name) =>
          name === team
            ? html`<b aria-current="page">${isolated(name)}</b>`
            : html`<a href="${teamLink(name)}">${isolated(name)}</a>`,
        )}
      </nav>`;

const sessionLine = (canLogIn: boolean, session: Session | undefined): Html => {
  if (session !== undefined)
    return html`<form method="post" action="./logout">
      Logged in${session.name === '' ? '' : html` as ${isolated(session.name)}`}. <button>Log out</button>
    </form>`;
  return canLogIn
    ? html`<p><a href="./login">Log in</a> to run jobs, mute and acknowledge alerts, and resend mails.</p>`
    : html``;
};

/** Where a feed reader and a wiki read without a login. */
const addressList = (addresses: readonly string[]): Html =>
  addresses.length === 0
    ? html``
    : html`<details>
        <summary>Addresses of the feed and of badges, with their tokens</summary>
        <ul>
          ${addresses.map((address) => html`<li><a href="${address}">${address}</a></li>`)}
        </ul>
      </details>`;

/** Who reads the page. */
export type Reader = {
  readonly canLogIn: boolean;
  readonly session: Session | undefined;
  /** Paths with tokens, for who may pass them on. */
  readonly addresses: readonly string[];
};

/** Complete without scripts; loads nothing. Without a session it is read-only. */
export const renderPage = (view: PageView, { canLogIn, session, addresses }: Reader): Html => {
  const { status, team } = view;
  const { data } = status;
  const look = { now: status.now, zone: data?.zone ?? 'UTC', csrf: session?.csrf };
  const isWhole = team === undefined;
  return document(
    isWhole ? 'Tollkeeper: status' : `Tollkeeper: team ${team}`,
    html`<main>
        <h1>Tollkeeper${isWhole ? '' : html`: team ${isolated(team)}`}</h1>
        ${teamsNav(view)} ${verdictOf(view)} ${spendSection(view, look)} ${alertsSection(view.alerts, look)}
        ${openSection(status.open, look)} ${jobsSection(view, look)} ${nextMailsSection(view.nextMails, look)}
        ${isWhole ? accountsSection(data?.accounts ?? [], look) : ''}
        ${rotationsSection(data?.rotations ?? [], look)} ${keysSection(view, look)}
        ${isWhole ? mailsSection(status.mail, view.mails, look) : ''}
        ${reportsSection(data?.reports ?? { newest: [] }, look)} ${isWhole ? stateOf(status, look) : ''}
      </main>
      <footer>
        As of ${moment(look.now, look)}. Times are in ${look.zone} unless another zone is given; with scripts,
        the page refreshes every minute. ${sessionLine(canLogIn, session)} ${addressList(addresses)}
      </footer>`,
    raw(`<script>${refreshScript}</script>`),
  );
};

export const renderNote = (message: string | Html, title = 'Tollkeeper'): Html =>
  document(
    title,
    html`<main>
      <h1>Tollkeeper</h1>
      <div class="box">${message}</div>
    </main>`,
    html``,
  );
