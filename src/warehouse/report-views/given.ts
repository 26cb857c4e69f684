import { pricedTokens } from '../../core/index.ts';
import { closest } from '../tokens/match-rule.ts';
import { columnsOf } from './relation.ts';
import type { ReportView, ViewRow } from './view.ts';

/** Money per million tokens of each class. */
export const priceColumns = pricedTokens.map(
  ({ price, label }) => [price, 'DECIMAL(28, 12)', label] as const,
);

export const pricesView: ReportView = {
  name: 'prices',
  description:
    'prices from the configuration, a row for each model with calls in the periods that matches a pattern; money per million tokens, NULL if not configured',
  columns: columnsOf([
    ['model_name', 'VARCHAR', 'as in cube'],
    ['pattern', 'VARCHAR', 'the most specific matching pattern'],
    ['currency', 'VARCHAR', 'USD or CNY'],
    ...priceColumns,
  ]),
  rows: async ({ request: { prices = [] }, models }) =>
    (await models()).flatMap((model): ViewRow[] => {
      const price = closest(prices, [model]);
      if (price === undefined) return [];
      const { pattern, currency } = price;
      return [[model, pattern, currency, ...pricedTokens.map((counted) => price[counted.price] ?? null)]];
    }),
};

export const budgetsView: ReportView = {
  name: 'budgets',
  ofAmounts: true,
  description:
    'budgets from the configuration that the report may see, in the currency of the amounts: of the account and of teams',
  columns: columnsOf([
    ['scope', 'VARCHAR', "'account' or 'team'"],
    ['team', 'VARCHAR', 'NULL for the account'],
    ['month', 'DECIMAL(38, 12)', 'budget for a calendar month'],
    ['currency', 'VARCHAR', 'USD or CNY'],
  ]),
  rows: async ({ request: { budgets = [], only, currency: stored } }) =>
    Promise.resolve(
      // A part by tags has no budgets of its own here.
      (only?.tagged === undefined ? budgets : [])
        .filter(({ currency }) => stored === undefined || currency === stored)
        .filter(({ team }) => only?.teams === undefined || (team !== undefined && only.teams.includes(team)))
        .map(({ team, month, currency }) => [
          team === undefined ? 'account' : 'team',
          team ?? null,
          month,
          currency,
        ]),
    ),
};

export const journalView: ReportView = {
  name: 'journal',
  ofWholeAccount: true,
  description:
    'the journal of the month of the period, as `journal` of the account posts it: one row per line, without rows where the account has no such setting',
  columns: columnsOf([
    ['line', 'BIGINT', 'from 1, in the order of the journal'],
    ['kind', 'VARCHAR', "'spend', 'correction' of an earlier month, or 'balance'"],
    ['account', 'VARCHAR', 'number of the account that the line is posted to'],
    ['name', 'VARCHAR', 'cost center or team; NULL for spend without one, and for the balance'],
    ['month', 'VARCHAR', 'YYYY-MM; an earlier month for a correction'],
    ['debit', 'DECIMAL(38, 12)', 'with two decimals; NULL if the amount is a credit'],
    ['credit', 'DECIMAL(38, 12)', 'with two decimals; NULL if the amount is a debit'],
    [
      'exact',
      'DECIMAL(38, 12)',
      'the amount before rounding; negative where refunds or corrections exceed the spend',
    ],
    ['is_draft', 'BOOLEAN', 'whether the month is not closed yet'],
  ]),
  rows: async ({ request: { journal } }) =>
    Promise.resolve(
      (journal?.lines ?? []).map(({ kind, account, name, month, debit, credit, exact }, at) => [
        at + 1,
        kind,
        account,
        name,
        month,
        debit,
        credit,
        exact,
        journal?.isDraft ?? false,
      ]),
    ),
};

export const accountsView: ReportView = {
  name: 'accounts',
  ofWholeAccount: true,
  description:
    'every account of the configuration in the period, with its amounts at a rate in the currency of the report; empty in a report on a part of the account',
  columns: columnsOf([
    ['account', 'VARCHAR', 'name of the account'],
    ['currency', 'VARCHAR', 'currency of its amounts'],
    ['spend', 'DECIMAL(38, 12)', 'in its currency; NULL where the log does not cover the period'],
    ['spend_before', 'DECIMAL(38, 12)', 'of the comparison'],
    ['verdict', 'VARCHAR', 'of its newest comparison that overlaps the period; NULL without one'],
    ['data_through_seconds', 'BIGINT', 'watermark of its call log, seconds UTC'],
    ['rate', 'DECIMAL(38, 12)', 'value of one unit of its currency in that of the report; NULL if unknown'],
    ['rate_from', 'VARCHAR', "'own' currency, 'declared' in the configuration, or shown by the 'gateway'"],
    ['converted', 'DECIMAL(38, 12)', 'spend at the rate, rounded to 12 decimals'],
    ['converted_before', 'DECIMAL(38, 12)', 'of the comparison'],
  ]),
  rows: async ({ request: { accounts = [] } }) =>
    Promise.resolve(
      accounts.map((one) => [
        one.account,
        one.currency,
        one.spend ?? null,
        one.spendBefore ?? null,
        one.verdict ?? null,
        one.through ?? null,
        one.rate ?? null,
        one.rateFrom ?? null,
        one.converted ?? null,
        one.convertedBefore ?? null,
      ]),
    ),
};

export const forecastView: ReportView = {
  name: 'forecast',
  ofAmounts: true,
  description:
    'one row: the spend of the calendar month in which the period ends, forecast from the end of the period by what past months show; without a row before that is known, of a finished month, and of a report with filters',
  columns: columnsOf([
    ['amount', 'DECIMAL(38, 12)', 'the whole month'],
    ['low', 'DECIMAL(38, 12)', 'start of the interval, or of the range'],
    ['high', 'DECIMAL(38, 12)', 'end of it'],
    ['method', 'VARCHAR', "'model' or 'pace'"],
    [
      'mean_error',
      'DECIMAL(38, 12)',
      'mean error of the latest forecasts at this point of a month, 0.031 for 3.1 %; NULL if unknown',
    ],
    ['most_error', 'DECIMAL(38, 12)', 'the largest of these errors'],
    ['error_months', 'BIGINT', 'the number of these forecasts'],
  ]),
  rows: async ({ request: { forecast } }) =>
    Promise.resolve(
      forecast === undefined
        ? []
        : [
            [
              forecast.amount,
              forecast.low,
              forecast.high,
              forecast.method,
              forecast.accuracy?.mean ?? null,
              forecast.accuracy?.most ?? null,
              forecast.accuracy?.months ?? null,
            ],
          ],
    ),
};

export const teamsView: ReportView = {
  name: 'teams',
  description: 'teams from the configuration in their order, including those without calls',
  columns: columnsOf([
    ['team', 'VARCHAR', 'as in cube'],
    ['position', 'BIGINT', 'from 0'],
  ]),
  rows: async ({ request: { teams = [], only } }) =>
    Promise.resolve(
      (only?.tagged === undefined ? teams : [])
        .map(({ name }, position) => [name, position] as const)
        .filter(([name]) => only?.teams === undefined || only.teams.includes(name)),
    ),
};

export const runView: ReportView = {
  name: 'run',
  description: 'one row: parameters of the run',
  columns: columnsOf([
    ['account', 'VARCHAR', 'name of the account'],
    ['currency', 'VARCHAR', 'currency of the amounts'],
    ['zone', 'VARCHAR', 'time zone of calendar days'],
    ['team', 'VARCHAR', 'the team of the report; NULL for all teams or for unassigned spend'],
    ['now_seconds', 'BIGINT', 'time of the slot, seconds UTC'],
    ['data_since_seconds', 'BIGINT', 'start of the call log, seconds UTC; NULL before the first pull'],
    ['data_through_seconds', 'BIGINT', 'watermark of the call log, seconds UTC'],
    [
      'comparison_days',
      'BIGINT',
      'number of days that the sums of the comparison are divided by: 1, or the days of an average',
    ],
    ['month_days', 'BIGINT', 'number of days in the calendar month in which the period ends'],
    ['month_elapsed', 'BIGINT', 'number of those days in the period month'],
  ]),
  rows: async ({ request, now }) => {
    const { account, currency, zone, run, only, periods } = request;
    const last = periods.find(({ name }) => name === 'current')?.days.at(-1)?.date;
    const [year = 0, month = 0, day = 0] = (last ?? '').split('-').map(Number);
    const team = only?.teams?.length === 1 ? only.teams[0] : null;
    return Promise.resolve([
      [
        account,
        currency ?? null,
        zone ?? null,
        team ?? null,
        Math.floor(now / 1000),
        run?.covered?.start ?? null,
        run?.covered?.end ?? null,
        run?.comparisonDays ?? 1,
        last === undefined ? null : new Date(Date.UTC(year, month, 0)).getUTCDate(),
        last === undefined ? null : day,
      ],
    ]);
  },
};
