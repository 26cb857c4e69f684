import { html } from 'hono/html';
import type { KeptReportView, KeptReportsView } from '../status-data.ts';
import { chip, command, momentAway, isolated, section, type Html, type PageLook } from './messages.ts';

/** The URL at which the page serves an archived report. */
const linkOf = (place: string): string => `./reports/${place.split('/').map(encodeURIComponent).join('/')}`;

const reportItem = (
  { job, part, subject, period, verdict, builtAt, place }: KeptReportView,
  look: PageLook,
): Html =>
  html`<li>
    <h3><a href="${linkOf(place)}">${isolated(subject)}</a></h3>
    <p class="quiet">
      ${isolated(job)}${part === undefined ? '' : html`, ${isolated(part)}`}; ${isolated(period)}; built
      ${momentAway(builtAt, look)}
    </p>
    ${verdict.good ? '' : html`<p>${chip('look', 'warn')} ${isolated(verdict.text)}</p>`}
  </li>`;

export const reportsSection = ({ newest, problem }: KeptReportsView, look: PageLook): Html =>
  section('Reports', [
    newest.length === 0
      ? html`<p>The archive contains no reports yet.</p>`
      : html`<ul>
          ${newest.map((report) => reportItem(report, look))}
        </ul>`,
    html`${problem === undefined ? '' : html`<p>${chip('damaged', 'bad')} ${isolated(problem)}</p>`}`,
    html`${newest.length === 0 ? '' : html`<p class="quiet">${command('tollkeeper reports')} lists all.</p>`}`,
  ]);
