import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { fault, unixMillis } from '../../src/core/index.ts';
import { jobKinds, type JobContext } from '../../src/jobs/index.ts';
import { mailFolder } from '../../src/notify/index.ts';
import { openWarehouse } from '../../src/warehouse/index.ts';
import { alertContext } from './alert-context.ts';
import { coverCalls, fillCalls } from './report-rows.ts';
import { at, benchOptions } from './report-speed.ts';
import type { BenchReport } from './report.ts';

/** Teams of five keys each: the keys of the fixture are `team-7-service-1207`. */
const teamsOf = (count: number): NonNullable<JobContext['costOwners']>['teams'] =>
  Array.from({ length: count }, (_, team) => ({
    name: `team ${team}`,
    keys: Array.from({ length: 5 }, (_key, index) => `team-*-service-${team * 5 + index}`),
    mail: [`team-${team}@example.com`],
  }));

const unreachable = async (): Promise<never> => {
  throw fault('gateway-unreachable', 'the bench has no gateway');
};

/** One run of a job that mails each of 400 teams its own report over a month of a million calls. */
export const benchParts = async (report: BenchReport, scale = 1): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-bench-'));
  const options = benchOptions(folder);
  const rows = Math.round(1_000_000 * scale);
  const teams = teamsOf(Math.max(4, Math.round(400 * scale)));
  const kind = jobKinds.find((one) => one.kind === 'report');
  if (kind === undefined) throw new Error('there is no kind report');
  try {
    await (await openWarehouse(options))[Symbol.asyncDispose]();
    const [start, end] = [at('2026-10-01'), at('2026-11-01')];
    await fillCalls(options.path, [{ account: 'month', rows, start, end }]);
    await coverCalls(options.path, { account: 'month', start: start - 86_400, end });
    const now = unixMillis((end + 8 * 3600) * 1000);
    await using warehouse = await openWarehouse({ ...options, clock: { ...options.clock, now: () => now } });
    report.title(`Parts: ${teams.length} teams of 5 keys, ${rows / 1000} thousand calls, one run`);
    const usual = alertContext({ account: 'month', warehouse, folder, now });
    const gateway = new Proxy({} as JobContext['account']['gateway'], { get: () => unreachable });
    for (const name of ['spend-summary', 'showback']) {
      const context: JobContext = {
        ...usual,
        name,
        account: { ...usual.account, gateway },
        reportDirectories: [fileURLToPath(new URL('../../../../reports', import.meta.url))],
        costOwners: { teams, prices: [], operators: ['ops@example.com'] },
        mail: { from: 'tollkeeper@example.com', mails: mailFolder(join(folder, 'outbox')) },
      };
      const settings = await kind.shape.parseAsync({ report: name, period: 'last-month', each_team: true });
      const started = performance.now();
      const { summary } = await kind.run(settings, context);
      const seconds = (performance.now() - started) / 1000;
      report.figure(`${name} for each team`, seconds, 's', 120);
      report.figure('  for one of them', seconds / (teams.length + 1), 's');
      report.row('  outcome', summary);
    }
    report.figure('memory of the process at its most', process.resourceUsage().maxRSS / 1024, 'MB', 1500);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
