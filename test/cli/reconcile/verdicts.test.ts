import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/core/index.ts';
import { verdicts } from '../../../src/reconcile/index.ts';
import { startSandbox, type SandboxOptions } from '../../../src/sandbox/index.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/index.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { openFolder } from '../../support/program.ts';
import { openChangingGateway, type ChangeAnswer } from './changing-gateway.ts';

const now = Date.parse('2026-11-20T09:30:00Z');

type FixtureOptions = {
  readonly variants?: NonNullable<SandboxOptions['variants']>;
  readonly change?: ChangeAnswer;
  readonly callsPerDay?: number;
  readonly lag?: string;
  readonly since?: string;
};

/** A config, and the gateway it names, on one clock; what the gateway says passes through `change`. */
const openFixture = async ({
  variants = {},
  change = (_, text) => text,
  callsPerDay = 60,
  lag = '10m',
  since = '2026-11-17',
}: FixtureOptions = {}) => {
  const clock = manualClock(now);
  const sandbox = await startSandbox({ months: 1, callsPerDay, variants, now: clock.now });
  let changed = change;
  const gateway = await openChangingGateway(sandbox.baseUrl, (path, text) => changed(path, text));
  const folder = await openFolder();
  await folder.write(
    'config/tollkeeper.yaml',
    `timezone: UTC
accounts: { main: { base_url: "${gateway.baseUrl}", admin_key: "\${KEY}" } }
warehouse: { path: data/tollkeeper.duckdb, memory_limit: 256MB, threads: 1 }
mail: { smtp: "smtp://127.0.0.1:1", from: reports@example.com, operators: [ops@example.com] }
health: { host: 127.0.0.1, port: 0 }
status: { port: 0 }
`,
  );
  await folder.write(
    'config/jobs/jobs.yaml',
    `jobs:
  logs: { kind: pull-logs, since: ${since}, lag: ${lag}, schedule: "0 0 * * *" }
  usage: { kind: pull-usage, since: ${since} }
  snapshot: { kind: snapshot }
`,
  );
  const env = { KEY: sandbox.adminKey };
  const run = (...argv: string[]) => folder.run(argv, { env, clock });
  return {
    clock,
    sandbox,
    run,
    changeNow: (next: ChangeAnswer) => {
      changed = next;
    },
    json: async (...argv: string[]) => {
      const ran = await run(...argv, '--json');
      return { ...ran, output: JSON.parse(ran.stdout) as Stated };
    },
    warehouse: async <T>(use: (warehouse: Warehouse) => Promise<T>): Promise<T> => {
      await using warehouse = await openWarehouse({
        path: `${folder.path}/data/tollkeeper.duckdb`,
        memoryLimit: '256MB',
        threads: 1,
        spoolDirectory: `${folder.path}/data/spool`,
        clock,
        log: silentLog,
      });
      return await use(warehouse);
    },
    /** `serve` in this process, until it is stopped; gives what it has logged. */
    serve: async () => {
      const stopping = new AbortController();
      let output = '';
      let isUp = (): void => undefined;
      const up = new Promise<void>((resolve) => {
        isUp = resolve;
      });
      const onOutput = (text: string): void => {
        output += text;
        if (output.includes('"serving"')) isUp();
      };
      const ended = folder.run(['serve'], { env, clock, signal: stopping.signal, onOutput });
      await Promise.race([up, ended]);
      return async (): Promise<string> => {
        stopping.abort(new Error('stopped by the test'));
        await ended;
        return output;
      };
    },
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
      await sandbox.stop();
    },
  };
};

type Fixture = Awaited<ReturnType<typeof openFixture>>;

/** The rows of the log export changed line by line, below its header. */
const withLines =
  (change: (lines: readonly string[]) => readonly string[]): ChangeAnswer =>
  (path, text) => {
    if (!path.startsWith('/api/log/self/stream-export')) return text;
    const [header = '', ...rows] = text.trimEnd().split('\n');
    return [header, ...change(rows)].map((line) => `${line}\n`).join('');
  };

const withHoles = withLines((lines) =>
  lines.filter((line, at) => at % 10 !== 4 || !line.includes('consumption')),
);
const twice = withLines((lines) => lines.flatMap((line, at) => (at % 10 === 4 ? [line, line] : [line])));

/** Statistics with four decimals, as other fields of the gateway have them. */
const fourDigits: ChangeAnswer = (path, text) =>
  path.startsWith('/api/log/self/stat')
    ? text.replace(/(?<="quota":)\d+\.\d+/, (quota) => Number(quota).toFixed(4))
    : text;

type Reconciled = {
  readonly comparisons: readonly {
    readonly source: string;
    readonly entry?: string;
    readonly ours: string;
    readonly theirs: string;
    readonly gap: string;
    readonly unit: string;
    readonly verdict: string;
  }[];
  readonly notCompared: readonly { readonly source: string; readonly reason: string }[];
  readonly good: boolean;
};

/** What commands print as JSON: a comparison, or a run. */
type Stated = Reconciled & { readonly summary: string; readonly figures: object };

const asked = ['reconcile', '--from', '2026-11-17', '--to', '2026-11-20'] as const;
const totalsOf = ({ comparisons }: Reconciled) => comparisons.filter(({ entry }) => entry === undefined);

/** A row that comes late by minutes is landed before it comes. */
const pullBeforeLateRow = async ({ sandbox, clock, run }: Fixture): Promise<readonly string[]> => {
  const late = sandbox.truth
    .rows(Date.parse('2026-11-18T00:00:00Z') / 1000, now / 1000)
    .find((row) => row.visibleAt - row.createdAt > 200 && row.kind === 'consumption');
  if (late === undefined) throw new Error('no such row');
  clock.set((late.createdAt + 30) * 1000);
  const through = new Date(clock.now()).toISOString();
  expect((await run('run', 'logs')).code).toBe(0);
  clock.set(late.visibleAt * 1000 + 3_600_000);
  return ['reconcile', '--from', '2026-11-17', '--to', through];
};

type Case = {
  readonly options: FixtureOptions;
  readonly unit?: string;
  /** What the pull itself says of it; the verdict unless given. */
  readonly pulled?: string;
  readonly last: RegExp;
};

const cases: Readonly<Record<(typeof verdicts)[number], Case>> = {
  equal: { options: {}, last: /^The log agrees with the one source available for comparison\.$/ },
  refunds: {
    options: { variants: { statistics_refunds: 'excluded' } },
    last: /\(differences in form: refunds\)\.$/,
  },
  rounding: { options: { change: fourDigits }, last: /\(differences in form: rounding\)\.$/ },
  currency: {
    options: { variants: { statistics_unit: 'CNY' } },
    unit: 'CNY',
    last: /\(differences in form: currency\)\.$/,
  },
  'late data': {
    options: { callsPerDay: 300, lag: '0s' },
    last: /^All settled data matches; 1 of 1 comparisons differ by late data\. /,
  },
  truncated: {
    options: { change: withHoles },
    last: /^The log is truncated by 1 of 1 comparisons\. The log is incomplete: .* is missing\.$/,
  },
  unexplained: {
    options: { change: twice },
    last: /^1 of 1 comparisons are unexplained\. Unexplained: .*\.$/,
  },
};

describe.each(verdicts)('the verdict %s', (verdict) => {
  const { options, unit = 'USD', last } = cases[verdict];
  const isGood = verdict !== 'truncated' && verdict !== 'unexplained';

  it('is stored by the pull and printed with gap, exit code and a last line, and operators are notified once of a bad one', async () => {
    await using fixture = await openFixture(options);
    let argv: readonly string[] = asked;
    if (verdict === 'late data') argv = await pullBeforeLateRow(fixture);
    else {
      const pulled = await fixture.json('run', 'logs');
      expect(pulled.code).toBe(0);
      expect(pulled.output.figures).toMatchObject({ compared: verdict });
      expect(pulled.output.summary.includes('. ')).toBe(!isGood);
    }

    const { code, output } = await fixture.json(...argv);
    expect(code).toBe(isGood ? 0 : 1);
    const [total, ...others] = totalsOf(output);
    expect(others).toEqual([]);
    expect(total).toMatchObject({ source: 'statistics', verdict, unit });
    if (verdict === 'equal' || verdict === 'refunds' || verdict === 'currency') expect(total?.gap).toBe('0');
    else if (verdict === 'rounding') expect(Math.abs(Number(total?.gap))).toBeLessThanOrEqual(0.00005);
    else if (verdict === 'late data') expect(Math.sign(Number(total?.gap))).toBe(1);
    // Nothing has shown yet what the statistics do with refunds.
    else expect(total?.gap).toBe('unknown');
    expect(output.good).toBe(isGood);

    const table = await fixture.run(...argv);
    expect(table.code).toBe(code);
    expect(table.stdout).toMatch(
      new RegExp(`^statistics +total +\\S+ +\\S+ +(?:-?[\\d.]+|unknown) +${unit} +${verdict}$`, 'm'),
    );
    expect(table.stdout.trimEnd().split('\n').at(-1)).toMatch(last);

    if (!isGood) {
      // The same gap, found again by the pull of one of its days, is no news.
      const again = await fixture.run('run', 'logs', '--from', '2026-11-19', '--to', '2026-11-20');
      expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('landed again') as string });
    }
    await fixture.warehouse(async ({ comparisons, outbox }) => {
      const stored = await comparisons.list('main', { source: 'statistics' });
      expect(stored[0]?.verdict).toBe(verdict === 'late data' ? 'equal' : verdict);
      expect(stored.at(-1)?.verdict).toBe(verdict);
      const mails = (await outbox.list()).filter(({ kind }) => kind === 'gap');
      expect(mails.map(({ recipient }) => recipient)).toEqual(isGood ? [] : ['ops@example.com']);
    });
  });
});

describe('a pull', () => {
  it('is compared with available usage and snapshots, and each gap is reported once', async () => {
    await using fixture = await openFixture({ since: '2026-11-19' });
    const { run, json, clock, changeNow, warehouse } = fixture;
    for (const at of ['2026-11-19T00:20:00Z', '2026-11-19T23:50:00Z']) {
      clock.set(Date.parse(at));
      expect((await run('run', 'snapshot')).code).toBe(0);
    }
    clock.set(Date.parse('2026-11-20T00:10:00Z'));
    changeNow(withHoles);
    expect((await run('run', 'logs')).code).toBe(0);
    const usage = await json('run', 'usage');
    expect(usage.output.figures).toMatchObject({ compared: 'truncated' });
    const day = ['reconcile', '--from', '2026-11-19', '--to', '2026-11-20'] as const;
    const { output } = await json(...day);
    const sources = ['statistics', 'usage by model', 'usage by key', 'used_quota', 'balance'];
    expect(totalsOf(output).map(({ source, verdict }) => [source, verdict])).toEqual(
      sources.map((source) => [source, 'truncated']),
    );
    expect(output.notCompared).toEqual([]);
    const reported = async (): Promise<number> =>
      warehouse(async ({ outbox }) => (await outbox.list()).filter(({ kind }) => kind === 'gap').length);
    // The usage says no more than the statistics and the account did before.
    expect(await reported()).toBe(1);

    changeNow((_, text) => text);
    clock.advance(60_000);
    expect((await run('run', 'logs', '--from', '2026-11-19', '--to', '2026-11-20')).code).toBe(0);
    expect((await json(...day)).output.good).toBe(true);
    expect(await reported()).toBe(1);
    // The next day brings a new one.
    changeNow(withHoles);
    clock.set(Date.parse('2026-11-21T00:10:00Z'));
    expect((await run('run', 'logs')).code).toBe(0);
    expect(await reported()).toBe(2);
  });

  it('does not fail when statistics answer 429, nor a comparison at 403, which is marked as not compared with the reason', async () => {
    await using fixture = await openFixture();
    const { run, json, sandbox } = fixture;
    const path = '/api/log/self/stat';
    sandbox.faults.plant({ kind: 'rate-limit', path, times: 99 });
    const pulled = await json('run', 'logs');
    expect(pulled.code).toBe(0);
    expect(pulled.output.summary).toMatch(/\. Not compared with statistics: .+\.$/);
    expect((await run('runs', 'logs')).stdout).toContain('Not compared with statistics: ');
    sandbox.faults.clear();
    for (const refused of [path, '/api/user/self'])
      sandbox.faults.plant({ kind: 'status', status: 403, path: refused, times: 99 });
    expect(await run('run', 'snapshot')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('profile not read: ') as string,
    });
    expect((await run('run', 'usage')).code).toBe(0);
    const { code, output } = await json(...asked);
    expect(code).toBe(0);
    expect(totalsOf(output).map(({ source }) => source)).toEqual(['usage by model', 'usage by key']);
    expect(output.notCompared).toEqual([
      { source: 'statistics', reason: expect.stringMatching(/scope|refuse/) as string },
      { source: 'used_quota and balance', reason: expect.stringContaining('no two snapshots') as string },
    ]);
  });
});

it('`reconcile` prints the same through the socket of a daemon', async () => {
  await using fixture = await openFixture();
  const { run, sandbox, serve } = fixture;
  expect((await run('run', 'logs')).code).toBe(0);
  const alone = await run(...asked);
  const stop = await serve();
  expect(await run(...asked)).toEqual(alone);
  sandbox.faults.plant({ kind: 'status', status: 403, path: '/api/log/self/stat', times: 9 });
  const refused = await run(...asked);
  expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('Nothing could be') as string });
  expect(refused.stderr).not.toContain('a source could not');
  expect(await stop()).toContain('cannot compare a source');
});
