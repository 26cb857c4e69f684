import { describe, expect, it } from 'vitest';
import { money, silentLog, unixSeconds } from '../../../src/core/index.ts';
import { renderReconcile } from '../../../src/cli/reconcile/render.ts';
import type { ReconcileView } from '../../../src/app/index.ts';
import { verdicts } from '../../../src/reconcile/index.ts';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/index.ts';
import { openCliFixture } from '../support/fixture.ts';
import { at, hostile, pageFaults, screens } from '../support/views.ts';
import { openChangingGateway, type ChangeAnswer } from './changing-gateway.ts';

const now = Date.parse('2026-11-20T09:30:00Z');

type FixtureOptions = {
  readonly variants?: NonNullable<SandboxOptions['variants']>;
  readonly change?: ChangeAnswer;
  readonly callsPerDay?: number;
  readonly lag?: string;
};

/** A config, and the gateway it names, on one clock; what the gateway says passes through `change`. */
const openFixture = async ({
  variants = {},
  change = (_, text) => text,
  callsPerDay = 60,
  lag = '10m',
}: FixtureOptions = {}) => {
  const fixture = await openCliFixture({
    now,
    callsPerDay,
    variants,
    settings: `timezone: UTC
accounts: { main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}" } }
warehouse: { path: data/tollkeeper.duckdb, memory_limit: 256MB, threads: 1 }
mail: { smtp: "\${SMTP_URL}", from: reports@example.com, operators: [ops@example.com] }
`,
    jobs: `jobs:
  logs: { kind: pull-logs, since: 2026-11-17, lag: ${lag}, schedule: "0 0 * * *" }
  usage: { kind: pull-usage, since: 2026-11-17 }
`,
  });
  const { clock, folder, sandbox } = fixture;
  const gateway = await openChangingGateway(sandbox.baseUrl, change);
  const env = { GATEWAY_BASE_URL: gateway.baseUrl };
  const run = (...argv: string[]) => fixture.run(argv, { env });
  return {
    clock,
    sandbox,
    run,
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
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
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
    readonly gap: string;
    readonly verdict: string;
  }[];
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
    last: /1 of 1 .*late data/,
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

it('`reconcile` prints every comparison with both figures and the conclusion, and refuses time without data', async () => {
  await using fixture = await openFixture();
  const { run, json, sandbox } = fixture;
  expect(await run(...asked)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no data for this time') as string,
  });
  for (const job of ['logs', 'usage']) expect((await run('run', job)).code).toBe(0);
  const table = await run(...asked);
  expect(table).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^comparing .*\(main\)\n$/) as string,
  });
  expect(table.stdout).toMatch(/^SOURCE +ENTRY +OURS +THEIRS +GAP +UNIT +VERDICT$/m);
  const { net } = sandbox.truth.sums(Date.UTC(2026, 10, 17) / 1000, Date.UTC(2026, 10, 20) / 1000);
  const total = `total +${net.replace('.', '\\.')} +${net.replace('.', '\\.')} +0 +USD +equal$`;
  for (const source of ['statistics', 'usage by model', 'usage by key'])
    expect(table.stdout).toMatch(new RegExp(`^${source} +${total}`, 'm'));
  expect(table.stdout).toMatch(
    /\nnot compared with used_quota and balance: .*\nThe log agrees with all 3 .*\n$/,
  );
  const { output } = await json(...asked, '--account', 'main');
  expect(output).toMatchObject({
    account: 'main',
    compared: { start: '2026-11-17T00:00:00.000Z', end: '2026-11-20T00:00:00.000Z' },
    good: true,
  });
  expect(output.comparisons[0]).toMatchObject({ source: 'statistics', ours: net, theirs: net });
  sandbox.faults.plant({ kind: 'status', status: 403, path: '/api/log/self/stat', times: 99 });
  expect(await run('reconcile', '--from', '2026-11-17T00:00Z', '--to', '2026-11-17T01:30Z')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Nothing could be compared.') as string,
  });
});

describe.each(screens)('the page of comparisons on %s', (_, screen) => {
  const second = (text: string) => unixSeconds(at(text) / 1000);
  const range = { start: second('2026-11-12T00:00:00Z'), end: second('2026-11-15T00:00:00Z') };
  const one = (verdict: string, entry?: string): ReconcileView['comparisons'][number] => ({
    source: 'usage by model',
    ...(entry === undefined ? {} : { entry }),
    range,
    ours: money('12.34'),
    theirs: money('12.35'),
    gap: money('0.01'),
    unit: 'USD',
    verdict,
    text: `A sentence on ${verdict}.`,
    comparedAt: at('2026-11-21T08:30:00Z'),
  });
  const view: ReconcileView = {
    account: 'main',
    zone: 'Europe/Berlin',
    asked: { ...range, end: second('2026-11-30T00:00:00Z') },
    compared: range,
    comparisons: [one('truncated'), one('unexplained', hostile), one('late data', ''), one('equal', 'gpt')],
    notCompared: [{ source: 'statistics', reason: hostile }],
    conclusion: 'The log is truncated.',
    good: false,
  };

  it('is well formed for any names, and shows only what is undecided', () => {
    const page = renderReconcile(view, screen);
    expect(pageFaults(page, { ...screen, width: screen.width ?? 100_000 })).toEqual([]);
    for (const verdict of ['truncated', 'unexplained', 'late data'])
      expect(page).toContain(`A sentence on ${verdict}.`);
    expect(page).not.toContain('A sentence on equal.');
    expect(page).toMatch(/up to\s+the\s+watermark\s+of\s+the\s+log/);
    expect(page).toContain('(no name)');
    expect(page.endsWith('The log is truncated.\n')).toBe(true);
  });
});
