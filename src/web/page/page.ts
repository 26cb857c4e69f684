import { html, raw } from 'hono/html';
import { needsPerson, pageBlocks, type PageView } from '../sections/registry.ts';
import { sectionsHtml } from './blocks.ts';
import { refreshScript } from './script.ts';
import { spendSection } from './spend.ts';
import type { Session } from './session.ts';
import { style } from './style.ts';
import { isolated, moment, teamLink, type Html } from './widgets.ts';

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

const list = (lines: readonly string[]): Html =>
  html`<ul>
    ${lines.map((line) => html`<li>${isolated(line)}</li>`)}
  </ul>`;

/** What requires action makes `status` exit with 1; an alert that fires does not. */
const verdictOf = ({ status, alerts }: PageView): Html => {
  const needed = needsPerson(status);
  const firing = alerts
    .filter((one) => one.firing.length > 0 && one.mute === undefined && one.acknowledged === undefined)
    .map(({ alert }) => alert);
  if (needed.length === 0 && firing.length === 0) return html`<p class="verdict good">No problems found.</p>`;
  return html`${
    needed.length === 0
      ? ''
      : html`<div class="verdict bad" role="status"><strong>Action required</strong>${list(needed)}</div>`
  }
  ${
    firing.length === 0
      ? ''
      : html`<div class="verdict warn" role="status">
          <strong>${firing.length === 1 ? 'Alert' : 'Alerts'} firing</strong>${list(firing)}
        </div>`
  }`;
};

/** The order of the sections on the page; others come last. */
const order = [
  'Budgets and alerts',
  'Open runs',
  'Jobs',
  'Next mails',
  'Data that does not reconcile',
  'Data',
  'Key rotations',
  'Keys by age',
  'Mail',
  'Reports',
  'Daemon',
];

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
  const sections = sectionsHtml(pageBlocks(view), view, look);
  const placeOf = (title: string): number => (order.includes(title) ? order.indexOf(title) : order.length);
  const titles = [...sections.keys()].toSorted((one, other) => placeOf(one) - placeOf(other));
  return document(
    isWhole ? 'Tollkeeper: status' : `Tollkeeper: team ${team}`,
    html`<main>
        <h1>Tollkeeper${isWhole ? '' : html`: team ${isolated(team)}`}</h1>
        ${teamsNav(view)} ${verdictOf(view)} ${spendSection(view, look)}
        ${titles.map((title) => sections.get(title))}
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
