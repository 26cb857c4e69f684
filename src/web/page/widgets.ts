import { html, raw } from 'hono/html';
import { formatSlot, type UnixMillis } from '../../core/index.ts';
import type { Tone } from '../tones.ts';

export type Html = ReturnType<typeof html>;

export type PageLook = {
  readonly now: UnixMillis;
  /** Of times without their own. */
  readonly zone: string;
  /** The token of forms; missing while the page is read-only. */
  readonly csrf?: string | undefined;
};

const steps = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
] as const;

/** A duration in its largest unit: `3 d`, `20 min`; `under 1 s`. */
export const roughly = (millis: number): string => {
  const [size, unit] = steps.find(([size]) => millis >= size) ?? [0, ''];
  return size === 0 ? 'under 1 s' : `${Math.floor(millis / size)} ${unit}`;
};

const away = (at: number, now: number): string => {
  if (Math.abs(at - now) < 1000) return 'now';
  return at > now ? `in ${roughly(at - now)}` : `${roughly(now - at)} ago`;
};

export const moment = (at: UnixMillis, { zone }: PageLook, own = zone): Html => {
  const [date = '', time = ''] = formatSlot(at, own).split(' ');
  return html`<time datetime="${new Date(at).toISOString()}">${date} ${time}</time>${
      own === zone
        ? ''
        : html` ${own.split('/').map((part, index) => html`${index === 0 ? '' : raw('/<wbr>')}${part}`)}`
    }`;
};

/** The time, and its distance from now. */
export const momentAway = (at: UnixMillis, look: PageLook, own = look.zone): Html =>
  html`${moment(at, look, own)} <small>(${away(at, look.now)})</small>`;

/** Maximum length of a text from outside; `runs` and `outbox` show all of it. */
const longest = 600;

/** Limited in length, without invisible characters. */
export const plainOf = (text: string): string => {
  const plain = text
    .replaceAll(/\p{Surrogate}/gu, '\uFFFD')
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ')
    // XML allows neither of them.
    .replaceAll(/[\uFFFE\uFFFF]/g, '')
    // Stacked combining marks would overlap the lines above.
    .replaceAll(/(\p{M}{4})\p{M}+/gu, '$1')
    .trim();
  const short = plain.length > longest ? `${plain.slice(0, longest).replace(/\p{Surrogate}$/u, '')}…` : plain;
  return /^[\p{Z}\p{C}]*$/u.test(short) ? '(blank)' : short;
};

/** A text from outside, isolated so that its direction does not affect the text around it. */
export const isolated = (text: string): Html => html`<bdi>${plainOf(text)}</bdi>`;

/** A message of Tollkeeper that may quote outside text; commands in `backticks` are shown as code. */
export const messageWithCommands = (text: string): Html =>
  html`<bdi
    >${plainOf(text)
      .split(/(`[^`]+`)/)
      .map((part) => (/^`[^`]+`$/.test(part) ? command(part.slice(1, -1)) : part))}</bdi
  >`;

export const chip = (text: string, tone: Tone): Html => html`<b class="chip ${tone}">${text}</b>`;

export const command = (text: string): Html => html`<code>${text}</code>`;

/** The fragment of a section: `budgets-and-alerts`. */
const anchorOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

export const section = (title: string, body: Html | readonly Html[]): Html =>
  html`<section aria-labelledby="${anchorOf(title)}">
    <h2 id="${anchorOf(title)}">${title}</h2>
    ${body}
  </section>`;

export const pair = (label: string, value: Html): Html =>
  html`<div>
    <dt>${label}</dt>
    <dd>${value}</dd>
  </div>`;

/** Rows whose first cell names them; on a phone each row is a card, with the titles beside its cells. */
export const table = (titles: readonly string[], rows: readonly (readonly Html[])[]): Html =>
  html`<table>
    <thead>
      <tr>
        ${titles.map((title) => html`<th scope="col">${title}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ([first, ...cells]) =>
          html`<tr>
            <th scope="row">${first ?? ''}</th>
            ${cells.map((cell, at) => html`<td data-label="${titles[at + 1] ?? ''}"><span>${cell}</span></td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;

/** The page of one team. */
export const teamLink = (team: string): string => `./?${new URLSearchParams({ team }).toString()}`;

export type Action = 'run' | 'mute' | 'unmute' | 'acknowledge' | 'resend';

/** A button that takes the action; nothing while the page is read-only. */
export const actionForm = (
  action: Action,
  label: string,
  fields: readonly (readonly [name: string, value: string])[],
  { csrf }: PageLook,
): Html =>
  csrf === undefined
    ? html``
    : html`<form method="post" action="./actions/${action}">
        <input type="hidden" name="csrf" value="${csrf}" />
        ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <button aria-label="${label}: ${fields[0]?.[1] ?? ''}">${label}</button>
      </form>`;
