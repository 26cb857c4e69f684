import { expect, it } from 'vitest';
import { jobKinds } from '../../src/jobs/index.ts';
import { approved, titledEach } from '../support/approved.ts';
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

const valid: readonly (readonly [settings: string, fields: string])[] = [
  [withOperators + teams, 'each_team: true'],
  [server.replace('OPERATORS', '') + teams, `each_team: true, ${toOne}`],
  [withOperators + teams, 'team: growth, comparison: none, mail: { to: [x@example.com], attach: [csv] }'],
  [withOperators, `period: yesterday, comparison: 7-day-average, ${toOne}`],
  ...['last-quarter', 'this-month', '2026-10', '2026-10-01..2026-10-15'].map(
    (period) => [withOperators, `period: ${period}, ${toOne}`] as const,
  ),
];

it.each(valid)('a report job is valid: %j', async (settings, fields) => {
  expect(await faultsOf(settings, fields)).toBe('');
});

it('a report job that contradicts itself or the settings is rejected', async () => {
  const rows: readonly (readonly [name: string, settings: string, fields: string])[] = [
    ['no recipients', withOperators, 'period: last-month'],
    ['one team and each team', withOperators + teams, 'each_team: true, team: growth'],
    ['each team without teams', withOperators, 'each_team: true'],
    ['no recipients of unassigned spend', server.replace('OPERATORS', '') + teams, 'each_team: true'],
    ['no mail server', teams, 'each_team: true'],
    ['an unknown team', withOperators + teams, `team: growht, ${toOne}`],
    ['a weekday for a week', withOperators, `period: last-week, comparison: same-weekday, ${toOne}`],
    [
      'an average of days for a week',
      withOperators,
      `period: { from: 2026-10-01, to: 2026-10-08 }, comparison: 7-day-average, ${toOne}`,
    ],
    ['an unknown period', withOperators, `period: last_month, ${toOne}`],
    ['a period without an end', withOperators, `period: { from: 2026-10-01 }, ${toOne}`],
  ];
  await expect(
    await titledEach(rows, ([, settings, fields]) => faultsOf(settings, fields)),
  ).toMatchFileSnapshot(approved('config/reports'));
});

it('prices and budgets are exact amounts, by patterns of models', async () => {
  const prices =
    'prices: { "gpt-4*": { input: 2.5, cached: "1.25", output: 10 }, "*": { currency: CNY, inptu: 1 } }\n';
  expect(await faultsOf(withOperators + prices, toOne)).toMatch(/unknown key "?inptu"?.*input/s);
  expect(await faultsOf(`${withOperators}prices: { "gpt-4*": { input: -1 } }\n`, toOne)).toContain(
    'be an amount of 0',
  );
});
