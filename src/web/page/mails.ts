import { html } from 'hono/html';
import type { OutboxView, StatusView } from '../status-view.ts';
import type { PageView } from '../page-view.ts';
import { mailTones } from '../tones.ts';
import {
  actionForm,
  chip,
  command,
  momentAway,
  pair,
  isolated,
  section,
  type Html,
  type PageLook,
} from './messages.ts';

const toDo = ({ id, state, next, recipient }: OutboxView): Html => {
  if (next !== undefined) return html``;
  const resend = command(`tollkeeper outbox resend ${id}`);
  const drop = command(`tollkeeper outbox drop ${id}`);
  if (state === 'unknown')
    return html`<p>
      <i>What to do:</i> it may or may not have arrived. Ask ${isolated(recipient)}; ${resend} sends the same
      message again, ${drop} closes the entry.
    </p>`;
  if (state === 'held')
    return html`<p>
      <i>What to do:</i> it was unsent in the restored backup and may have been sent since. ${resend} sends
      it, ${drop} abandons it.
    </p>`;
  return state === 'failed'
    ? html`<p><i>What to do:</i> fix the cause, then run ${resend}; ${drop} abandons it.</p>`
    : html``;
};

const mailItem = (row: OutboxView, look: PageLook): Html => {
  const { id, state, kind, subject, title, recipient, route, attempts, lastError, next, queuedAt } = row;
  return html`<li class="${mailTones[state] === 'bad' ? 'hurt' : ''}">
    <h3>${isolated(recipient)} ${chip(state, mailTones[state])} <small>${id}</small></h3>
    <dl>
      ${pair('About', title === undefined ? html`${isolated(kind)} ${isolated(subject)}` : isolated(title))}
      ${pair(
        'Queued',
        html`${momentAway(queuedAt, look)}; ${attempts}
        ${attempts === 1 ? 'try' : 'tries'}${route === 'mail' ? '' : html` by ${isolated(route)}`}`,
      )}
      ${next === undefined ? '' : pair('Next try', momentAway(next, look))}
    </dl>
    ${lastError === undefined ? '' : html`<p class="quiet">${isolated(lastError)}</p>`} ${toDo(row)}
    ${state === 'failed' || state === 'unknown' || state === 'held' ? html`<div class="actions">${actionForm('resend', 'Resend', [['id', id]], look)}</div>` : ''}
  </li>`;
};

export const mailsSection = (
  { waiting, failed, unknown, held }: StatusView['mail'],
  shown: PageView['mails'],
  look: PageLook,
): Html => {
  if (waiting + failed + unknown + held === 0) return section('Mail', html`<p>The outbox is empty.</p>`);
  const rows = [...shown.stuck, ...shown.waiting];
  const more = waiting + failed + unknown + held - rows.length;
  return section('Mail', [
    html`<p>
      ${chip(`${waiting} waiting`, waiting === 0 ? 'quiet' : 'busy')}
      ${chip(`${failed} refused`, failed === 0 ? 'quiet' : 'bad')}
      ${chip(`${unknown} of unknown outcome`, unknown === 0 ? 'quiet' : 'bad')}
      ${held === 0 ? '' : chip(`${held} held`, 'warn')}
    </p>`,
    html`<ul>
      ${rows.map((row) => mailItem(row, look))}
    </ul>`,
    html`${more > 0 ? html`<p>… and ${more} more: ${command('tollkeeper outbox')} lists them.</p>` : ''}`,
  ]);
};
