import { html } from 'hono/html';
import type { NextMailView } from '../page-view.ts';
import { isolated, momentAway, section, type Html, type PageLook } from './messages.ts';

/** Keeps a line readable. */
const maxRecipients = 5;

const recipients = (to: readonly string[]): Html =>
  html`${to.slice(0, maxRecipients).map((one, at) => html`${at === 0 ? '' : ', '}${isolated(one)}`)}${
    to.length > maxRecipients ? ` and ${to.length - maxRecipients} more` : ''
  }`;

export const nextMailsSection = (mails: readonly NextMailView[], look: PageLook): Html =>
  mails.length === 0
    ? html``
    : section(
        'Next mails',
        html`<ul class="plain box">
          ${mails.map(
            ({ job, at, zone, team, to }) =>
              html`<li>
                ${momentAway(at, look, zone)}:
                ${isolated(job)}${team === undefined ? '' : html` for team ${isolated(team)}`}
                <span class="quiet">to ${recipients(to)}</span>
              </li>`,
          )}
        </ul>`,
      );
