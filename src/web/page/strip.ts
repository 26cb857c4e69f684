import { html, raw } from 'hono/html';
import { compareMoney, moneyAsShare, zero, type LocalDate, type Money } from '../../core/index.ts';
import type { JobDays, PageView } from '../sections/registry.ts';
import { runTones, type Tone } from '../tones.ts';
import { type Html } from './widgets.ts';
import { shortDate } from './spend.ts';

/** Units of the picture: a day, the bars of spend, and the row of states below them. */
const size = { day: 4, gap: 1, bars: 14, states: 6 } as const;

/** Keeps the line below the strip readable. */
const maxDays = 5;

const tones: readonly Tone[] = ['good', 'busy', 'warn', 'bad'];

/** Bars of the spend of each day, from 0 to the highest. */
const spendPath = (spend: readonly Money[]): string => {
  const highest = spend.reduce((most, one) => (compareMoney(one, most) > 0 ? one : most), zero);
  if (compareMoney(highest, zero) === 0) return '';
  return spend
    .map((one, day) => {
      const height = Math.round(Math.max(0, moneyAsShare(one, highest)) * size.bars * 10) / 10;
      return height === 0
        ? ''
        : `M${day * size.day} ${Math.round((size.bars - height) * 10) / 10}h${size.day - size.gap}v${height}h-${size.day - size.gap}z`;
    })
    .join('');
};

const statePath = (days: JobDays['states'], tone: Tone): string =>
  days
    .map((state, day) =>
      state !== null && runTones[state] === tone
        ? `M${day * size.day} ${size.bars + 1}h${size.day - size.gap}v${size.states}h-${size.day - size.gap}z`
        : '',
    )
    .join('');

const named = (days: readonly LocalDate[]): string => {
  const newest = days.toReversed().slice(0, maxDays).map(shortDate).join(', ');
  return days.length > maxDays ? `${newest} and ${days.length - maxDays} more` : newest;
};

/** The state of each day of a job in colour, below the spend of its account on that day. */
export const strip = (job: string, { history, spend }: PageView): Html => {
  const own = history.jobs.find((one) => one.job === job);
  const { days } = history;
  if (own === undefined || own.states.every((state) => state === null)) return html``;
  const amounts = spend.find(({ account }) => account === own.account)?.days.slice(-days.length) ?? [];
  const bars = amounts.length === days.length ? spendPath(amounts.map(({ spend: amount }) => amount)) : '';
  const withTone = (tone: Tone): readonly LocalDate[] =>
    days.filter((_, day) => {
      const state = own.states[day] ?? null;
      return state !== null && runTones[state] === tone;
    });
  const [bad, warn] = [withTone('bad'), withTone('warn')];
  const ran = own.states.filter((state) => state !== null).length;
  const notes = [
    ...(bad.length === 0 ? [] : [`failed on ${named(bad)}`]),
    ...(warn.length === 0 ? [] : [`missed or skipped on ${named(warn)}`]),
  ];
  const label = `Last ${days.length} days: runs on ${ran} of them${notes.length === 0 ? ', none failed' : `; ${notes.join('; ')}`}.${bars === '' ? '' : ' Bars: spend a day.'}`;
  const width = days.length * size.day;
  const height = size.bars + 1 + size.states;
  const states = tones.map((tone) => {
    const path = statePath(own.states, tone);
    return path === '' ? '' : `<path class="s-${tone}" d="${path}"/>`;
  });
  return html`<div class="strip" role="img" aria-label="${label}">
      ${raw(
        `<svg viewBox="0 0 ${width} ${height}" width="100%" height="${height}" preserveAspectRatio="none"><path class="s-spend" d="${bars}"/><rect class="track" x="0" y="${size.bars + 1}" width="${width}" height="${size.states}"/>${states.join('')}</svg>`,
      )}
    </div>
    ${notes.length === 0 ? '' : html`<p class="quiet">${days.length} days: ${notes.join('; ')}</p>`}`;
};
