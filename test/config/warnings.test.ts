import { expect, it } from 'vitest';
import { approved, titled } from '../support/approved.ts';
import { warningsOf } from './support/mistakes.ts';

const budgets = `budgets:
  launch: { amount: "500", thresholds: [80, 100], forecast_thresholds: [100] }
  small: { amount: "120", thresholds: [100] }
  usual: { amount: "500", thresholds: ["80%", 450] }
teams:`;

const tags = `tags:
  "prod-*": { environment: production, product: search }
  "*-batch": { environment: batch }
  "ci-*": { environment: ci }
  "prod-search": { product: search }
teams:`;

it('`check` warns of amounts that look like percentages, budgets without an alert job, and tags that disagree', async () => {
  const found = [
    ...(await warningsOf([['settings', 'teams:', budgets]])),
    ...(await warningsOf([['settings', 'teams:', tags]])),
  ];
  const shown = found.map(({ at, message, advice }) => [at, `${message}\n${advice ?? ''}`] as const);
  await expect(titled(shown)).toMatchFileSnapshot(approved('config/warnings'));
});

it('`check` warns of each budget that no job of kind alert evaluates', async () => {
  const unwatched = async (fields: string) => {
    const alerts = `jobs:\n  alerts: { kind: alert, needs: [pull-logs]${fields} }\n`;
    const found = await warningsOf([
      ['settings', 'teams:', budgets],
      ['pulls', 'jobs:\n', alerts],
    ]);
    const without = found.flatMap(
      ({ message }) => /of kind alert evaluates the budget ([\w-]+)/.exec(message)?.[1] ?? [],
    );
    return without;
  };
  expect(await unwatched('')).toEqual([]);
  expect(await unwatched(', budgets: [launch]')).toEqual(['account-main', 'small', 'usual']);
});
