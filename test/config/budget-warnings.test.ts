import { expect, it } from 'vitest';
import { warningsOf } from './support/mistakes.ts';

const budgets = `budgets:
  launch: { amount: "500", thresholds: [80, 100], forecast_thresholds: [100] }
  small: { amount: "120", thresholds: [100] }
  usual: { amount: "500", thresholds: ["80%", 450] }
teams:`;

const job = (fields: string) => `  alerts: { kind: alert, needs: [pull-logs]${fields} }\n`;

it('`check` warns of thresholds that look like percentages and are amounts', async () => {
  const found = await warningsOf([['settings', 'teams:', budgets]]);
  expect(found.filter(({ message }) => !message.startsWith('no job'))).toEqual([
    {
      at: 'tollkeeper.yaml:18:40',
      message: 'budgets.launch.thresholds 80, 100 are amounts, far below the budget of 500',
      advice: 'for percentages write thresholds: ["80%", "100%"]',
    },
    {
      at: 'tollkeeper.yaml:18:72',
      message: 'budgets.launch.forecast_thresholds 100 is an amount, far below the budget of 500',
      advice: 'for percentages write forecast_thresholds: ["100%"]',
    },
  ]);
});

it('`check` warns of budgets that no job of kind alert evaluates', async () => {
  const messages = async (fields?: string) =>
    (
      await warningsOf([
        ['settings', 'teams:', budgets],
        ...(fields === undefined ? [] : [['pulls', 'jobs:\n', `jobs:\n${job(fields)}`] as const]),
      ])
    ).flatMap(({ message, advice }) => (message.startsWith('no job') ? [`${message}; ${advice ?? ''}`] : []));
  const none = await messages();
  expect(none).toContain(
    'no job of kind alert evaluates the budget launch, so no alert is sent when it is exceeded; add a job to a file in jobs/, such as alerts: { kind: alert, needs: [pull-logs] }',
  );
  expect(await messages('')).toEqual([]);
  expect((await messages(', budgets: [launch]')).map((text) => text.split(',')[0])).toEqual(
    none.map((text) => text.split(',')[0]).filter((text) => !text?.includes('launch')),
  );
});
