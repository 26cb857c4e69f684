import { html } from 'hono/html';
import type { KeyAgeView, PageView } from '../page-view.ts';
import {
  chip,
  command,
  isolated,
  moment,
  momentAway,
  roughly,
  section,
  table,
  type Html,
  type PageLook,
} from './messages.ts';

/** Keeps the page readable; `keys list` shows all. */
const maxKeys = 20;

const ageOf = ({ created, every }: KeyAgeView, { now }: PageLook): Html => {
  if (created === undefined) return html`unknown`;
  const age = now - created;
  return html`${roughly(age)} ${every !== undefined && age > every ? chip('due', 'warn') : ''}`;
};

/** Left out on a phone, where each cell is a line. */
const none = html`<span class="none">–</span>`;

const row = (key: KeyAgeView, look: PageLook): readonly Html[] => [
  html`${isolated(key.name)} <small>(id ${key.keyId})</small>`,
  key.team === undefined ? none : isolated(key.team),
  ageOf(key, look),
  key.every === undefined ? none : html`${roughly(key.every)}`,
  key.expires === undefined ? html`never` : moment(key.expires, look),
];

/** Keys by age, oldest first. */
export const keysSection = ({ keys: { keys, readAt } }: PageView, look: PageLook): Html => {
  if (keys.length === 0) return html``;
  const more = keys.length - maxKeys;
  return section(
    'Keys by age',
    html`<div class="box">
        ${table(
          ['Key', 'Team', 'Age', 'Rotated at', 'Expires'],
          keys.slice(0, maxKeys).map((key) => row(key, look)),
        )}
      </div>
      ${more > 0 ? html`<p>… and ${more} more: ${command('tollkeeper keys list')} lists them.</p>` : ''}
      ${readAt === undefined ? '' : html`<p class="quiet">As of the snapshot of ${momentAway(readAt, look)}.</p>`}`,
  );
};
