import {
  money,
  multiplyMoney,
  toMillis,
  toSeconds,
  unixMillis,
  type Money,
} from '../../../src/core/index.ts';
import { budgetShown } from '../../../src/jobs/alert/rules/budget/view.ts';
import type { BudgetStatus } from '../../../src/jobs/alert/rules/budget/stored.ts';
import {
  dailySpend,
  forecastPath,
  periodAt,
  sameInLastMonth,
  spendDays,
  type AlertView,
  type MonthOutlook,
} from '../../../src/monitoring/index.ts';
import type { OutboxView, PageView, StatusView } from '../../../src/web/index.ts';
import { at } from '../../control/support/control-fixture.ts';

const hour = 3_600_000;
const day = 24 * hour;
const before = (millis: number) => unixMillis(at - millis);

const zone = 'Europe/Berlin';
const days = spendDays(toSeconds(at), zone);
const through = before(hour);
const cut = sameInLastMonth(toSeconds(through), days, zone);

/** Weekends cost less, and the last days more. */
const amountOf = (index: number, date: string): Money => {
  const isWeekend = [0, 6].includes(new Date(`${date}T00:00:00Z`).getUTCDay());
  const wave = 9 + ((index * 37) % 11) / 2 + (index > 95 ? 6 : 0);
  return money((isWeekend ? wave / 3 : wave).toFixed(4));
};

const cells = days.flatMap(({ date, start }, index) => {
  // The day that the cut divides has all its spend before it.
  const segment = start > cut ? index + 1 : index;
  return [
    {
      segment,
      key: 'search-1',
      service: 'search-1',
      charge: amountOf(index, date),
      refunds: money('0'),
    },
    { segment, key: 'chat', service: 'chat', charge: amountOf(index + 3, date), refunds: money('0.5') },
  ];
});

/** The forecast of the month with its record, and two unusual days. */
const outlookOf = (spend: Money): MonthOutlook => {
  const times = (factor: string): Money => multiplyMoney(spend, money(factor));
  const forecast: MonthOutlook['forecast'] = {
    amount: times('1.4'),
    low: times('1.31'),
    high: times('1.52'),
    range: 'interval',
    method: 'model',
    accuracy: { mean: money('0.031'), most: money('0.07'), months: 6 },
  };
  const period = periodAt({ period: 'month', anchorDay: 1, zone }, toSeconds(through));
  return {
    forecast,
    path: forecastPath(forecast, undefined, { period, through: toSeconds(through), spend }, zone),
    unusual: [
      { date: days.at(-4)?.date ?? '', times: 2.43 },
      { date: days.at(-9)?.date ?? '', times: 0.04 },
    ],
  };
};

const teamsOf = (names: readonly string[]) => names.map((name) => ({ name, keys: [`${name}*`] }));

const budgetStatus = (
  spend: string,
  state: 'ok' | 'exceeded' | 'unknown',
  forecast?: string,
): BudgetStatus => ({
  kind: 'budget',
  scope: 'account',
  amount: money('500'),
  currency: 'USD',
  zone,
  start: 0,
  end: 1,
  state,
  spend: money(spend),
  ...(forecast === undefined
    ? {}
    : { forecast: money(forecast), forecastLow: money('430'), forecastHigh: money('475') }),
  levels: [],
});

const budgetAlert = (name: string, status: BudgetStatus, more: Partial<AlertView> = {}): AlertView => ({
  ...budgetShown({ name, scope: { kind: 'account' } }, status, false, 'main'),
  account: 'main',
  zone,
  status,
  evaluatedAt: before(hour),
  firing: [],
  ...more,
});

const firing = (alert: string) => [
  { alert, level: '100%', period: '0', state: 'firing' as const, raisedAt: before(3 * hour) },
];

const alertsOf = (names: readonly string[]): readonly AlertView[] => [
  budgetAlert('account-main', budgetStatus('312.4', 'ok', '452.1')),
  ...names.map((name, index) =>
    budgetAlert(name, budgetStatus('612.4', index % 2 === 0 ? 'exceeded' : 'unknown'), {
      team: 'search',
      texts: { spend: '$612.40', amount: '$500.00', reason: name },
      firing: firing(name),
      ...(index % 3 === 1
        ? { mute: { account: 'main', alert: name, until: at, mutedAt: before(hour), by: name } }
        : {}),
      ...(index % 3 === 2
        ? { acknowledged: { account: 'main', alert: name, at: before(hour), by: name } }
        : {}),
    }),
  ),
];

/** A quota of which no reading exists, of each of these keys. */
export const unknownQuotas = (
  names: readonly string[],
  [reason, hint] = [
    'snapshots at least a day apart are missing',
    'Check that a job of kind snapshot runs each day: `tollkeeper status` shows its last run.',
  ],
): readonly AlertView[] =>
  names.map((name) => ({
    account: 'main',
    alert: `key:${name}`,
    state: 'unknown',
    tone: 'warn',
    title: 'Balance or quota',
    zone,
    cells: [{ title: 'Lasts', text: 'unknown' }],
    texts: { lasts: 'unknown', reason, hint },
    status: { kind: 'key', state: 'unknown', reason: 'few-readings' },
    evaluatedAt: before(hour),
    firing: [],
  }));

const historyOf = (jobs: readonly string[], isBad: boolean): PageView['history'] => ({
  days: days.slice(-90).map(({ date }) => date),
  jobs: jobs.map((job, index) => ({
    job,
    account: 'main',
    states: Array.from({ length: 90 }, (_, at) => {
      if (at < index * 5 || job === 'by-hand') return null;
      if (isBad && (at * 7 + index) % 13 === 0) return 'failed';
      return isBad && at % 17 === 3 ? 'missed' : 'ok';
    }),
  })),
});

type Shown = {
  readonly team?: string | undefined;
  readonly mails?: readonly OutboxView[];
  /** Teams, budgets and keys with these names, in trouble. */
  readonly names?: readonly string[];
};

/** What the page shows beside this status. */
export const viewOf = (status: StatusView, { team, mails = [], names = [] }: Shown = {}): PageView => {
  const spent = dailySpend(
    cells,
    days,
    { through: toSeconds(through), lastMonth: cut },
    { teams: teamsOf(['search', 'chat']), team },
  );
  const teams = ['search', 'chat', ...names];
  const isIn = (states: readonly string[]) => mails.filter(({ state }) => states.includes(state));
  return {
    status,
    team,
    teams,
    spend:
      status.data === undefined
        ? []
        : [
            {
              account: 'main',
              currency: 'USD',
              zone,
              through,
              lastMonthThrough: toMillis(cut),
              budget: money('500'),
              outlook: outlookOf(spent.sums.month),
              ...spent,
            },
          ],
    alerts: alertsOf(names).filter((alert) => team === undefined || alert.team === team),
    history: historyOf(
      status.jobs.map(({ job }) => job),
      names.length > 0,
    ),
    keys: {
      readAt: before(hour),
      keys: ['search-1', 'chat', ...names].map((name, index) => ({
        account: 'main',
        keyId: index,
        name,
        service: name,
        team: index === 0 ? 'search' : undefined,
        created: index === 1 ? undefined : before((100 - index) * day),
        ...(index % 2 === 0 ? { job: 'rotate', every: 90 * day } : { expires: unixMillis(at + 30 * day) }),
      })),
    },
    nextMails: [
      { job: 'daily-spend', at: unixMillis(at + 25 * hour), zone, to: ['finance@example.com'] },
      ...names.map((name) => ({
        job: 'weekly',
        at: unixMillis(at + 50 * hour),
        zone,
        team: name,
        to: [name, 'ann@example.com'],
      })),
    ],
    mails: { stuck: isIn(['failed', 'unknown']), waiting: isIn(['queued', 'sending', 'deferred']) },
  };
};
