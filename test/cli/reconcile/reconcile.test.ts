import { describe, expect, it } from 'vitest';
import { money, unixSeconds } from '../../../src/core/index.ts';
import { renderReconcile } from '../../../src/cli/reconcile/render.ts';
import type { ReconcileView } from '../../../src/app/index.ts';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { openFolder, defaultConfig } from '../../support/program.ts';
import { at, hostile, pageFaults, screens } from '../support/views.ts';

/** A config, and the gateway it names, on one clock. */
const openFixture = async () => {
  const clock = manualClock();
  const sandbox = await startSandbox({ months: 1, callsPerDay: 40, now: clock.now });
  const folder = await openFolder();
  await defaultConfig(folder, '2026-11-10');
  const env = {
    GATEWAY_BASE_URL: sandbox.baseUrl,
    GATEWAY_ADMIN_KEY: sandbox.adminKey,
    SMTP_URL: 'smtp://127.0.0.1:1',
  };
  return {
    sandbox,
    run: (...argv: string[]) => folder.run(argv, { env, clock }),
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]();
      await sandbox.stop();
    },
  };
};

describe('the `reconcile` command', () => {
  it('prints every comparison and the conclusion as text and JSON, with an exit code for the verdict', async () => {
    await using fixture = await openFixture();
    const { run, sandbox } = fixture;
    const asked = ['reconcile', '--from', '2026-11-12', '--to', '2026-11-15'];
    expect(await run(...asked)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no data for this time') as string,
    });
    expect((await run('run', 'pull-logs')).code).toBe(0);
    expect((await run('run', 'pull-usage')).code).toBe(0);

    const table = await run(...asked);
    expect(table.stderr).toMatch(/^comparing .*\(main\)\n$/);
    expect(table.code).toBe(0);
    expect(table.stdout).toMatch(/^SOURCE +ENTRY +OURS +THEIRS +GAP +UNIT +VERDICT$/m);
    const { net } = sandbox.truth.sums(Date.UTC(2026, 10, 12) / 1000, Date.UTC(2026, 10, 15) / 1000);
    const total = `total +${net.replace('.', '\\.')} +${net.replace('.', '\\.')} +0 +USD +equal$`;
    for (const source of ['statistics', 'usage by model', 'usage by key'])
      expect(table.stdout).toMatch(new RegExp(`^${source} +${total}`, 'm'));
    expect(table.stdout).toMatch(
      /\nnot compared with used_quota and balance: .*\nThe log agrees with all 3 .*\n$/,
    );

    const json = JSON.parse((await run(...asked, '--account', 'main', '--json')).stdout) as {
      comparisons: unknown[];
    };
    expect(json).toMatchObject({
      account: 'main',
      compared: { start: '2026-11-12T00:00:00.000Z', end: '2026-11-15T00:00:00.000Z' },
      good: true,
    });
    expect(json.comparisons[0]).toMatchObject({
      source: 'statistics',
      ours: net,
      theirs: net,
      verdict: 'equal',
    });

    sandbox.faults.plant({ kind: 'status', status: 403, path: '/api/log/self/stat', times: 99 });
    const late = await run('reconcile', '--from', '2026-11-10T00:00Z', '--to', '2026-11-10T01:30Z');
    expect(late).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('Nothing could be compared.') as string,
    });
  });
});

describe.each(screens)('the page on %s', (_, screen) => {
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
