import { mailFolder } from '../../src/notify/index.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { interval, median, money, unixMillis, unixSeconds } from '../../src/core/index.ts';
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
    const now = unixMillis(at('2026-11-01') * 1000);
    // Which hours are kept follows from the clock.
    await using warehouse = await openWarehouse({ ...options, clock: { ...options.clock, now: () => now } });
    report.title(
      `Alerts: 200 budgets over a month of ${rows / million} million calls, 60 models and 2,000 keys`,
    );
    const definition = await spendSummary();
    const asked = { account: 'month', period: 'last-month', rows };
    await buildSummary(warehouse, definition, asked);
    const reportStarted = performance.now();
    await buildSummary(warehouse, definition, asked);
    report.figure('spend-summary over the same month', (performance.now() - reportStarted) / 1000, 's');
    const context: JobContext = {
      ...alertContext({ account: 'month', warehouse, folder, now }),
      zone: 'Europe/Berlin',
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
    // The record of forecasts is made once a month, when alerts are decided.
    const quiet = budgets().map((one) => ({ ...one, thresholds: [], forecastThresholds: [] }));
    const noted = { ...context.costOwners, budgets: quiet } as NonNullable<JobContext['costOwners']>;
    const [recorded] = await evaluate({ costOwners: noted });
    report.figure('the first of a month, with the record of its forecasts', recorded, 's');
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
    const covered = at('2026-11-01');
    /** The median of evaluations in the same hour, or of one in each of five hours. */
    const medianOf = async (given: typeof settings, hours = 0): Promise<number> => {
      const times: number[] = [];
      for (let round = 4; round >= 0; round -= 1) {
        const end = unixSeconds(covered - round * hours * 3600);
        const watermark = async () => interval(unixSeconds(at('2026-09-01')), end);
        const upTo = { ...warehouse, logs: { ...warehouse.logs, watermark } };
        times.push((await evaluate({ warehouse: upTo }, given))[0]);
      }
      return median(times);
    };
    // Earlier hours are not judged again: the marks of the last one are removed.
    const forget = async (): Promise<void> =>
      warehouse.alerts.putStatus('month', [], ['unusual:', 'key-behaviour:']);
    const [plain, ruled] = [await medianOf(settings), await medianOf(all)];
    report.figure('with all rules, by the time without, in an hour that is judged', ruled / plain, 'x', 1.3);
    const plainHour = await medianOf(settings, 1);
    for (const one of [{ unusual_spend: {} }, { key_behaviour: {} }, { price_change: true }]) {
      await forget();
      const time = await medianOf(await kind.shape.parseAsync({ lag: '0s', ...one }), 1);
      report.figure(`  ${Object.keys(one).join()} adds in a new hour`, time - plainHour, 's');
    }
    await forget();
    const ruledHour = await medianOf(all, 1);
    report.figure('with all rules, by the time without, in a new hour', ruledHour / plainHour, 'x', 1.3);
    report.figure('  with all rules', ruledHour, 's');
    report.figure('  by one in which every budget alerts', (first + ruledHour - plainHour) / first, 'x', 1.3);
    const mail = { from: 'tollkeeper@example.com', mails: mailFolder(join(folder, 'outbox')) };
    const [third, enqueued] = await evaluate({ mail });
    report.figure('the same, and 200 mails are written', third, 's');
    report.row('  outcome', enqueued);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
