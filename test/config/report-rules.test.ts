import { expect, it } from 'vitest';
import { jobKinds } from '../../src/jobs/index.ts';
import { goodEnv, load } from './support/load.ts';

const account =
  'accounts: { main: { base_url: "https://gateway.example.com", admin_key: "${GATEWAY_ADMIN_KEY}" } }\n';
const server = 'mail: { smtp: "${SMTP_URL}", from: a@example.com OPERATORS }\n';
const withOperators = server.replace('OPERATORS', ', operators: [ops@example.com]');
const teams = 'teams: { growth: { keys: ["growth-*"], mail: [g@example.com], budget: { month: 500 } } }\n';

const toOne = 'mail: { to: [x@example.com] }';

const faultsOf = async (settings: string, fields: string): Promise<string> => {
  const job = `jobs:\n  showback: { kind: report, report: spend-summary, ${fields} }\n`;
  const { text } = await load(
    { 'config/tollkeeper.yaml': account + settings, 'config/jobs/a.yaml': job },
    goodEnv,
    {
      kinds: jobKinds,
    },
  );
  return text;
};

it.each([
  ['', withOperators + teams, 'each_team: true'],
  ['', server.replace('OPERATORS', '') + teams, 'each_team: true, mail: { to: [x@example.com] }'],
  ['', withOperators + teams, 'team: growth, comparison: none, mail: { to: [x@example.com], attach: [csv] }'],
  ['2:3: job showback has no recipients for its report', withOperators, 'period: last-month'],
  ['sets both team and each_team', withOperators + teams, 'each_team: true, team: growth'],
  ['reports to each team, but no team is configured', withOperators, 'each_team: true'],
  ['has no recipients for unassigned spend', server.replace('OPERATORS', '') + teams, 'each_team: true'],
  ['sends mail, but tollkeeper.yaml has no mail server', teams, 'each_team: true'],
  ['unknown team "growht"', withOperators + teams, 'team: growht, mail: { to: [x@example.com] }'],
  ['', withOperators, `period: yesterday, comparison: 7-day-average, ${toOne}`],
  [
    'jobs.showback.comparison does not fit the period: the comparison same-weekday requires a period of one day, and last-week is longer',
    withOperators,
    `period: last-week, comparison: same-weekday, ${toOne}`,
  ],
  [
    'the comparison 7-day-average requires a period of one day, and 2026-10-01..2026-10-08 is longer',
    withOperators,
    `period: { from: 2026-10-01, to: 2026-10-08 }, comparison: 7-day-average, ${toOne}`,
  ],
] as const)('a report job: %j', async (message, settings, fields) => {
  const text = await faultsOf(settings, fields);
  if (message === '') expect(text).toBe('');
  else expect(text).toContain(message);
});

it('an unknown period is rejected with every valid form and the nearest name', async () => {
  const mail = 'mail: { to: [x@example.com] }';
  for (const period of ['last-quarter', 'this-month', '2026-10', '2026-10-01..2026-10-15'])
    expect(await faultsOf(withOperators, `period: ${period}, ${mail}`)).toBe('');
  const text = await faultsOf(withOperators, `period: last_month, ${mail}`);
  expect(text).toContain(
    'jobs.showback.period must be yesterday, last-7-days, last-week, last-month, last-quarter, month-to-date, this-month, a month as YYYY-MM, or FROM..TO as dates (TO is the first day that no longer belongs to it); or a map with `from` and `to`, not "last_month"',
  );
  expect(text).toContain('did you mean "last-month"?');
  expect(await faultsOf(withOperators, `period: { from: 2026-10-01 }, ${mail}`)).toContain(
    'lacks the key "to"',
  );
});

it('prices and budgets are exact amounts, by patterns of models', async () => {
  const prices =
    'prices: { "gpt-4*": { input: 2.5, cached: "1.25", output: 10 }, "*": { currency: CNY, inptu: 1 } }\n';
  expect(await faultsOf(withOperators + prices, 'mail: { to: [x@example.com] }')).toMatch(
    /unknown key "?inptu"?.*input/s,
  );
  expect(
    await faultsOf(`${withOperators}prices: { "gpt-4*": { input: -1 } }\n`, 'mail: { to: [x@example.com] }'),
  ).toContain('must be an amount of 0 or more');
});
