import { focusVersions, type FocusVersion } from '../../../src/core/index.ts';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { openCliFixture } from '../../cli/support/fixture.ts';
import type { DataSetFile } from './check-rules.ts';

/** One month of an account, as it was exported. */
export type TestExport = {
  readonly account: string;
  readonly version: FocusVersion;
  readonly month: string;
  readonly currency: string;
  /** Of the month itself, as in its statement. */
  readonly spend: string;
  readonly rows: number;
  readonly corrections: number;
  readonly files: readonly DataSetFile[];
};

const accounts = ['main', 'china'] as const;

const settings = `timezone: Europe/Berlin
accounts:
  main:
    base_url: "\${GATEWAY_BASE_URL}"
    admin_key: "\${GATEWAY_ADMIN_KEY}"
    focus: { issuer: Gateway Ltd, provider: Gateway Ltd, account_id: "4711", account_name: "Platform, \\"EU\\"" }
  china: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}", currency: CNY }
teams:
  search: { keys: ["search*"] }
tags:
  "*": { product: "Line 1\\nLine 2", cost_center: "4711" }
# The second one explains the charges but for what is rounded.
prices:
  gpt-4.1-mini: { currency: USD, input: 0.4, cached: 0.1, output: 1.6 }
  o4-mini: { currency: USD, input: 1.1000001, cached: 0.28, output: 4.4 }
mail: { smtp: "smtp://127.0.0.1:9", from: tollkeeper@example.com, operators: [ops@example.com] }
`;

const jobs = accounts
  .map(
    (name) => `  ${name}: { kind: pull-logs, account: ${name}, schedule: "0 4 * * *", since: "2026-09-30" }`,
  )
  .join('\n');

const dataSetOf = (path: string): DataSetFile => ({
  path,
  dataSet: path.includes('billing-period') ? 'BillingPeriod' : 'CostAndUsage',
});

/**
 * Two accounts in two currencies, with refunds, calls without tokens and tags with line breaks: October is closed, the gateway restates
 * it, and November is closed with what changed. Each month in each version of FOCUS.
 */
export const exportTestMonths = async (callsPerDay = 30) => {
  const traffic = { months: 4, since: '2026-09-30', settings, jobs: `jobs:\n${jobs}\n` };
  const fixture = await openCliFixture({ ...traffic, callsPerDay, now: Date.parse('2026-11-03T09:00:00Z') });
  // Other calls in the same days.
  const restated = await startSandbox({ months: 4, callsPerDay: callsPerDay + 7, now: fixture.clock.now });
  const run = async (
    argv: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const { code, stdout, stderr } = await fixture.run(argv, { env });
    if (code !== 0) throw new Error(`tollkeeper ${argv.join(' ')} ends with ${code}: ${stderr}`);
    return stdout;
  };
  const exportMonth = async (period: string, env: Readonly<Record<string, string>> = {}) => {
    const exported: TestExport[] = [];
    for (const account of accounts)
      for (const version of focusVersions) {
        const out = `out-${version}`;
        const argv = ['focus', '--json', '--account', account, '--version', version, '--out', out];
        const { files, ...sums } = JSON.parse(await run([...argv, '--period', period], env)) as Omit<
          TestExport,
          'account' | 'version' | 'files'
        > & { readonly files: readonly string[] };
        exported.push({ ...sums, account, version, files: files.map(dataSetOf) });
      }
    return exported;
  };
  const close = async (): Promise<void> => {
    await fixture[Symbol.asyncDispose]();
    await restated.stop();
  };
  const all = async (): Promise<readonly TestExport[]> => {
    for (const account of accounts) await run(['run', account]);
    const october = await exportMonth('2026-10');
    fixture.clock.set(Date.parse('2026-12-03T09:00:00Z'));
    const env = { GATEWAY_BASE_URL: restated.baseUrl, GATEWAY_ADMIN_KEY: restated.adminKey };
    for (const account of accounts)
      await run(['run', account, '--from', '2026-10-01', '--to', '2026-12-03'], env);
    return [...october, ...(await exportMonth('2026-11', env))];
  };
  try {
    return { exports: await all(), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
};
