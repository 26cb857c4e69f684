import { html, raw } from 'hono/html';
import {
  absoluteMoney,
  addMonths,
  compareMoney,
  dateAt,
  divideMoney,
  startOfMonth,
  subtractMoney,
  toSeconds,
  wallTimeAt,
  zero,
  type LocalDate,
  type Money,
  type UnixMillis,
} from '../../core/index.ts';
import type { SpendSums, TeamSums } from '../../monitoring/index.ts';
import { accuracyText, formatMoney, formatPercent, localeOf } from '../../messages/index.ts';
import { meterSvg, monthChartSvg, monthColours } from '../../reports/index.ts';
import type { PageView } from '../sections/registry.ts';
import { isolated, momentAway, section, table, teamLink, type Html, type PageLook } from './widgets.ts';

type Spend = PageView['spend'][number];

/** The page is in English. */
const locale = localeOf('en');

/** Keeps the page readable; reports show all. */
const maxTeams = 20;

/** `26 Nov` */
export const shortDate = (date: LocalDate): string =>
  `${Number(date.slice(8))} ${['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][Number(date.slice(5, 7)) - 1] ?? ''}`;

const changeOf = (now: Money, before: Money): string => {
  const change =
    compareMoney(before, zero) <= 0 ? undefined : divideMoney(subtractMoney(now, before), before, 6);
  if (change === undefined) return '';
  const text = formatPercent(absoluteMoney(change), locale);
  if (text === formatPercent(zero, locale)) return 'unchanged';
  return `${compareMoney(change, zero) < 0 ? 'down' : 'up'} ${text}`;
};

const tile = (label: string, value: Html, notes: readonly string[]): Html =>
  html`<div class="tile">
    <dt>${label}</dt>
    <dd><strong>${value}</strong>${notes.map((note) => html`<small>${note}</small>`)}</dd>
  </div>`;

/** `9 Nov, 15:27`, or `the end of Nov` */
const untilText = (moment: UnixMillis, today: LocalDate, zone: string): string => {
  const at = toSeconds(moment);
  return dateAt(at, zone) >= startOfMonth(today)
    ? `the end of ${shortDate(addMonths(today, -1)).split(' ')[1] ?? ''}`
    : `${shortDate(dateAt(at, zone))}, ${wallTimeAt(at, zone).slice(0, 5)}`;
};

const tiles = (
  { today, yesterday, month, lastMonth, lastMonthToDate }: SpendSums,
  until: string,
  show: (amount: Money) => string,
): Html => {
  const change = changeOf(month, lastMonthToDate);
  return html`<dl class="tiles">
    ${tile('Today', isolated(show(today)), [`yesterday ${show(yesterday)}`])}
    ${tile('This month', isolated(show(month)), [
      `by ${until}: ${show(lastMonthToDate)}${change === '' ? '' : `; ${change}`}`,
    ])}
    ${tile('Last month', isolated(show(lastMonth)), [])}
  </dl>`;
};

const swatch = (colour: string, name: string): Html =>
  html`<span class="key"
    >${raw(
      `<svg width="18" height="8" aria-hidden="true"><rect y="2" width="18" height="4" rx="2" fill="${colour}"/></svg>`,
    )}
    ${name}</span
  >`;

/** `14 Nov: 2.4 times its usual spend` */
const unusualText = ({ date, times }: { readonly date: LocalDate; readonly times: number }): string =>
  `${shortDate(date)}: ${times >= 0.1 ? `${times.toFixed(1)} times` : 'less than a tenth of'} its usual spend`;

/** What this month is expected to cost, between what, and how far such forecasts were off. */
const outlookLines = ({ outlook, budget }: Spend, show: (amount: Money) => string): Html => {
  if (outlook === undefined) return html``;
  const { forecast, unusual } = outlook;
  const range = `${forecast.range === 'interval' ? 'with a probability of 80% ' : ''}between ${show(forecast.low)} and ${show(forecast.high)}`;
  const over = budget === undefined ? zero : subtractMoney(forecast.amount, budget);
  const beside =
    compareMoney(over, zero) === 0
      ? ''
      : `, ${show(absoluteMoney(over))} ${compareMoney(over, zero) > 0 ? 'over' : 'under'} the budget`;
  return html`<p>
      ${isolated(`Forecast of this month: ${show(forecast.amount)}${beside} (${range}).`)}
      ${accuracyText(forecast.accuracy, locale) ?? ''}
    </p>
    ${unusual.length === 0 ? '' : html`<p class="quiet">Unusual days: ${unusual.map(unusualText).join('; ')}.</p>`}`;
};

const chart = ({ days, sums, budget, currency, outlook }: Spend, show: (amount: Money) => string): Html => {
  if (sums === undefined) return html``;
  const unusual = (outlook?.unusual ?? []).map(({ date }) => date);
  const label = `Spend of this month up to each day: ${show(sums.month)} so far, ${show(sums.lastMonthToDate)} by the same time of the last month${budget === undefined ? '' : `, against a budget of ${show(budget)}`}${outlook === undefined ? '' : `, and ${show(outlook.forecast.amount)} expected by its end`}.`;
  return html`<figure>
    <div role="img" aria-label="${label}">
      ${raw(monthChartSvg({ days, budget, forecast: outlook?.path, unusual, currency, locale: 'en' }))}
    </div>
    <figcaption>
      ${swatch(monthColours.month, 'This month, up to each day')}
      ${swatch(monthColours.lastMonth, 'Last month')}
      ${budget === undefined ? '' : swatch(monthColours.budget, 'Budget')}
      ${outlook === undefined ? '' : swatch(monthColours.forecast, 'Forecast')}
      ${unusual.length > 0 ? swatch(monthColours.unusual, 'Unusual day') : ''}
    </figcaption>
  </figure>`;
};

const budgetLine = ({ sums, budget, outlook }: Spend, show: (amount: Money) => string): Html => {
  if (sums === undefined || budget === undefined || compareMoney(budget, zero) <= 0) return html``;
  const used = divideMoney(sums.month, budget, 6) ?? zero;
  const text = `${formatPercent(used, locale)} of the monthly budget of ${show(budget)}`;
  return html`<p>${isolated(text)}</p>
    ${raw(meterSvg({ value: sums.month, of: budget, ...(outlook === undefined ? {} : { forecast: outlook.forecast.amount }) }, 'good', text))}`;
};

const teamRow = (team: TeamSums, show: (amount: Money) => string): readonly Html[] => [
  team.team === ''
    ? html`<span class="quiet">no team</span>`
    : html`<a href="${teamLink(team.team)}">${isolated(team.team)}</a>`,
  ...[team.today, team.yesterday, team.month, team.lastMonthToDate].map((amount) => isolated(show(amount))),
];

const teamTable = (teams: readonly TeamSums[], show: (amount: Money) => string): Html => {
  if (teams.filter(({ team }) => team !== '').length === 0) return html``;
  const sorted = teams.toSorted((left, right) => compareMoney(right.month, left.month));
  return html`${table(
    ['Team', 'Today', 'Yesterday', 'This month', 'Last month by this time'],
    sorted.slice(0, maxTeams).map((team) => teamRow(team, show)),
  )}
  ${sorted.length > maxTeams ? html`<p class="quiet">… and ${sorted.length - maxTeams} more teams.</p>` : ''}`;
};

const accountSpend = (spend: Spend, view: PageView, look: PageLook): Html => {
  const { account, sums, through, lastMonthThrough, days, currency, teams, zone } = spend;
  const show = (amount: Money): string => formatMoney(amount, currency, locale);
  const date = days.at(-1)?.date;
  return html`<li>
    ${view.spend.length > 1 ? html`<h3>${isolated(account)}</h3>` : ''}
    ${
      sums === undefined || date === undefined || lastMonthThrough === undefined
        ? html`<p>
            ${through === undefined ? 'The call log has not been pulled yet.' : 'The unit of the amounts is not proven yet: amounts are shown once a comparison with the gateway has proven it.'}
          </p>`
        : html`${tiles(sums, untilText(lastMonthThrough, date, zone), show)} ${budgetLine(spend, show)}
          ${outlookLines(spend, show)} ${chart(spend, show)}
          ${view.team === undefined ? teamTable(teams, show) : ''}`
    }
    ${through === undefined ? '' : html`<p class="quiet">Calls up to ${momentAway(through, look)}.</p>`}
  </li>`;
};

export const spendSection = (view: PageView, look: PageLook): Html =>
  view.spend.length === 0
    ? html``
    : section(
        view.team === undefined ? 'Spend' : `Spend of team ${view.team}`,
        html`<ul>
          ${view.spend.map((spend) => accountSpend(spend, view, look))}
        </ul>`,
      );
