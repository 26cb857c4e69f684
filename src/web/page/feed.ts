import { html, raw } from 'hono/html';
import { iso, type UnixMillis } from '../../core/index.ts';
import { plainOf, type Html } from './widgets.ts';

/** Something that happened: an alert, or a run that failed or was missed. */
export type FeedEntry = {
  /** Names the event for good: the same event has the same parts. */
  readonly id: readonly (string | number)[];
  readonly at: UnixMillis;
  readonly title: string;
  readonly text: string;
};

const urn = (parts: FeedEntry['id']): string =>
  `urn:tollkeeper:${parts.map((part) => encodeURIComponent(plainOf(String(part)))).join(':')}`;

const entryXml = ({ id, at, title, text }: FeedEntry): Html =>
  html`<entry>
    <id>${urn(id)}</id>
    <title>${plainOf(title)}</title>
    <updated>${iso(at)}</updated>
    <content>${plainOf(text)}</content>
  </entry> `;

/** Atom (RFC 4287), newest first. `link` is the address of the page, if it is known. */
export const atomFeed = (entries: readonly FeedEntry[], link: string | undefined): Html =>
  html`${raw('<?xml version="1.0" encoding="utf-8"?>')}
    <feed xmlns="http://www.w3.org/2005/Atom">
      <id>urn:tollkeeper:feed</id>
      <title>Tollkeeper: alerts and failures</title>
      <author><name>Tollkeeper</name></author>
      <updated>${iso(entries[0]?.at ?? 0)}</updated>
      ${link === undefined ? '' : html`<link rel="alternate" href="${link}" />`} ${entries.map(entryXml)}
    </feed>`;
