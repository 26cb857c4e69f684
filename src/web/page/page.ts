import { html, raw } from 'hono/html';
import type { StatusView } from '../status-view.ts';
import { accountsSection, rotationsSection } from './accounts.ts';
import { stateOf, verdictOf } from './heading.ts';
import { jobsSection, openSection } from './jobs.ts';
import { mailsSection, type ShownMails } from './mails.ts';
import { reportsSection } from './reports.ts';
import { style } from './style.ts';
import { moment, type Html } from './messages.ts';

const document = (title: string, body: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta http-equiv="refresh" content="60" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${raw(`<style>${style}</style>`)}
      </head>
      <body>
        ${body}
      </body>
    </html>`;

/** Uses no script, image or font. */
export const renderPage = (status: StatusView, mails: ShownMails): Html => {
  const { data } = status;
  const look = { now: status.now, zone: data?.zone ?? 'UTC' };
  return document(
    'Tollkeeper: status',
    html`<main>
        <h1>Tollkeeper</h1>
        ${verdictOf(status)} ${stateOf(status, look)} ${openSection(status.open, look)}
        ${jobsSection(status.jobs, look)} ${mailsSection(status.mail, mails, look)}
        ${rotationsSection(data?.rotations ?? [], look)} ${accountsSection(data?.accounts ?? [], look)}
        ${reportsSection(data?.reports ?? { newest: [] }, look)}
      </main>
      <footer>
        As of ${moment(look.now, look)}. Times are in ${look.zone} unless another zone is given; the page
        reloads every minute.
      </footer>`,
  );
};

export const renderNote = (message: string): Html =>
  document(
    'Tollkeeper',
    html`<main>
      <h1>Tollkeeper</h1>
      <p class="box">${message}</p>
    </main>`,
  );
