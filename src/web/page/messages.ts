import { html } from 'hono/html';
import { formatSlot, type UnixMillis } from '../../core/index.ts';
import type { Tone } from '../tones.ts';

export type Html = ReturnType<typeof html>;

/** The current time, and the time zone of times without their own. */
export type PageLook = { readonly now: UnixMillis; readonly zone: string };

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
      own === zone ? '' : ` ${own}`
    }`;
};

/** The time, and its distance from now. */
export const momentAway = (at: UnixMillis, look: PageLook, own = look.zone): Html =>
  html`${moment(at, look, own)} <small>(${away(at, look.now)})</small>`;

/** Maximum length of a text from outside; `runs` and `outbox` show all of it. */
const longest = 600;

/** Limited in length, without invisible characters. */
const plainOf = (text: string): string => {
  const plain = text
    .replaceAll(/\p{Surrogate}/gu, '\uFFFD')
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ')
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

export const section = (title: string, body: Html | readonly Html[]): Html =>
  html`<section>
    <h2>${title}</h2>
    ${body}
  </section>`;

export const pair = (label: string, value: Html): Html =>
  html`<div>
    <dt>${label}</dt>
    <dd>${value}</dd>
  </div>`;
