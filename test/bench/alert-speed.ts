import { mailFolder } from '../../src/notify/index.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { median, money, unixMillis } from '../../src/core/index.ts';
import { jobKinds, type JobContext } from '../../src/jobs/index.ts';
import type { Budget, BudgetScope } from '../../src/monitoring/index.ts';
import { openWarehouse } from '../../src/warehouse/index.ts';
import { alertContext } from './alert-context.ts';
import { coverCalls, fillCalls } from './report-rows.ts';
import { at, benchOptions, buildSummary, spendSummary } from './report-speed.ts';
import type { BenchReport } from './report.ts';

const million = 1_000_000;

/** 200 budgets: the account, 20 teams by pattern, 60 models, and single services, over all periods. Each is exceeded. */
const budgets = (): readonly Budget[] =>
  Array.from({ length: 200 }, (_, index): Budget => {
    const scope: BudgetScope =
      index < 10
        ? { kind: 'account' }
        : index < 50
          ? { kind: 'keys', name: `team-${index % 20}-*` }
          : index < 110
            ? { kind: 'model', name: `model-${String(index % 60).padStart(2, '0')}` }
            : { kind: 'service', name: `team-${(index * 3) % 20}-service-${index * 3}` };
    return {
      name: `budget-${index}`,
      scope,
      amount: money('0.01'),
      currency: 'USD',
      period: index % 10 === 0 ? 'week' : index % 10 === 1 ? 'day' : 'month',
      anchorDay: 1,
      zone: 'Europe/Berlin',
      thresholds: [{ label: '100%', amount: money('0.01') }],
      forecastThresholds: [{ label: '100%', amount: money('0.01') }],
      owner: ['owner@example.com'],
    };
  });

/** An evaluation of 200 budgets in which every one alerts with its cause, beside a report over the same month. */
export const benchAlerts = async (report: BenchReport, scale = 1): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-bench-'));
  const options = benchOptions(folder);
  const kind = jobKinds.find((one) => one.kind === 'alert');
  if (kind === undefined) throw new Error('there is no kind alert');
  const rows = Math.round(10 * million * scale);
  try {
    await (await openWarehouse(options))[Symbol.asyncDispose]();
    await fillCalls(options.path, [
      { account: 'month', rows: Math.round(rows / 2), start: at('2026-09-01'), end: at('2026-10-01') },
      { account: 'month', rows, start: at('2026-10-01'), end: at('2026-11-01') },
    ]);
    await coverCalls(options.path, {
      account: 'month',
      start: at('2026-09-01') - 86_400,
      end: at('2026-11-01'),
    });
    await using warehouse = await openWarehouse(options);
    report.title(
      `Alerts: 200 budgets over a month of ${rows / million} million calls, 60 models and 2,000 keys`,
    );
    const definition = await spendSummary();
    const asked = { account: 'month', period: 'last-month', rows };
    await buildSummary(warehouse, definition, asked);
    const reportStarted = performance.now();
    await buildSummary(warehouse, definition, asked);
    report.figure('spend-summary over the same month', (performance.now() - reportStarted) / 1000, 's');
    const now = unixMillis(at('2026-11-01') * 1000);
    const context: JobContext = {
      ...alertContext({ account: 'month', warehouse, folder, now }),
      costOwners: { teams: [], prices: [], operators: [], budgets: budgets() },
    };
    const settings = await kind.shape.parseAsync({ lag: '0s' });
    const evaluate = async (
      change: Partial<JobContext> = {},
      given = settings,
    ): Promise<readonly [number, string]> => {
      const started = performance.now();
      const { summary } = await kind.run(given, { ...context, ...change });
      return [(performance.now() - started) / 1000, summary];
    };
    const [first, summary] = await evaluate();
    report.figure('every budget alerts, with its cause', first, 's', 5);
    report.row('  outcome', summary);
    const [second, unchanged] = await evaluate();
    report.figure('no budget changes', second, 's', 5);
    report.row('  outcome', unchanged);
    const all = await kind.shape.parseAsync({
      lag: '0s',
      unusual_spend: {},
      key_behaviour: {},
      price_change: true,
    });
    const [begun] = await evaluate({}, all);
    report.figure('the first with all rules, which builds hours and fits prices', begun, 's');
    const medianOf = async (given: typeof settings): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < 5; round += 1) times.push((await evaluate({}, given))[0]);
      return median(times);
    };
    const [plain, ruled] = [await medianOf(settings), await medianOf(all)];
    report.figure('with all rules, by the time without', ruled / plain, 'x', 1.3);
    report.figure('  with all rules', ruled, 's');
    report.figure(
      '  by an evaluation in which every budget alerts',
      (first + ruled - plain) / first,
      'x',
      1.3,
    );
    const mail = { from: 'tollkeeper@example.com', mails: mailFolder(join(folder, 'outbox')) };
    const [third, enqueued] = await evaluate({ mail });
    report.figure('the same, and 200 mails are written', third, 's');
    report.row('  outcome', enqueued);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
