import { createHash } from 'node:crypto';
import readXlsxFile from 'read-excel-file/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFolder, defaultConfig, type Folder } from '../support/program.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openMailServer, type MailServer } from '../support/mail-server.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';

const now = Date.UTC(2026, 10, 21, 6, 3, 7);
const seconds = (text: string): number => Date.parse(text) / 1000;

let folder: Folder;
let sandbox: Sandbox;
let mail: MailServer;

beforeEach(async () => {
  [folder, mail] = await Promise.all([openFolder(), openMailServer()]);
  sandbox = await startSandbox({ now: () => now, months: 2, callsPerDay: 60 });
  await defaultConfig(folder);
  await folder.write(
    'config/tollkeeper.yaml',
    `timezone: UTC
accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${file:${folder.path}/admin-key}" }
warehouse: { path: data/tollkeeper.duckdb, memory_limit: 512MB, threads: 1 }
mail: { smtp: "\${SMTP_URL}", from: "Tollkeeper <reports@example.com>", tls: { ca: ${mail.ca} } }
`,
  );
  await folder.write('admin-key', `${sandbox.adminKey}\n`);
});
afterEach(async () => {
  await sandbox.stop();
  await mail[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const run = (...argv: string[]) =>
  folder.run(argv, {
    env: { GATEWAY_BASE_URL: sandbox.baseUrl, SMTP_URL: mail.url },
    clock: manualClock(now),
  });

const good = async (...argv: string[]) => {
  const ran = await run(...argv);
  expect(ran.stderr).not.toContain('what to do');
  expect(ran.code).toBe(0);
  return ran;
};

describe('the main job', () => {
  it('pulls, pulls again without changes, reports and mails over STARTTLS with a login', async () => {
    const first = JSON.parse((await good('run', 'pull-logs', '--json')).stdout) as {
      figures: { rows: number; quota: string };
    };
    const truth = sandbox.truth.sums(seconds('2026-10-22T00:00:00Z'), Math.floor(now / 1000) - 600);
    expect(first.figures).toMatchObject({ rows: truth.rows, quota: truth.quota });

    const second = JSON.parse((await good('run', 'pull-logs', '--json')).stdout) as {
      figures: { rows: number };
    };
    expect(second.figures.rows).toBe(0);

    const sent = await good('run', 'weekly-spend');
    expect(sent.stdout).toContain('2 mails sent');
    expect(mail.taken.map((taken) => [taken.recipients, taken.secure])).toEqual([
      [['finance@example.com'], true],
      [['ops@example.com'], true],
    ]);
  });

  it('mails figures that equal the gateway’s own statistics for the period', async () => {
    await good('run', 'weekly-spend');
    const truth = sandbox.truth.sums(seconds('2026-11-09T00:00:00Z'), seconds('2026-11-16T00:00:00Z'));
    const [first] = mail.taken;
    const shown = Number(truth.net).toLocaleString('en-US', {
      minimumFractionDigits: 2,
      maximumFractionDigits: 2,
    });
    expect(first?.parsed.subject).toContain(shown);
    expect(first?.parsed.text).toContain(shown);
    expect(first?.parsed.html).toContain(shown);
    expect(first?.parsed.subject).toMatch(/· reconciled/);
    const largest = Object.entries(truth.byModel).toSorted(
      ([, left], [, right]) => Number(right) - Number(left),
    );
    for (const [model] of largest.slice(0, 5)) expect(first?.parsed.text).toContain(model);
  });

  it('prints a plan and writes nothing with --dry-run', async () => {
    const plan = await good('run', 'pull-logs', '--dry-run');
    expect(plan.stdout).toMatch(/^pull .*from 2026-10-22 00:00 UTC to 2026-11-21 05:53 UTC/m);
    const mailPlan = await good('run', 'weekly-spend', '--dry-run');
    expect(mailPlan.stdout).toContain('mail it to finance@example.com');
    const usagePlan = await good('run', 'pull-usage', '--dry-run');
    expect(usagePlan.stdout).toMatch(/pull usage by model from/);
    expect(sandbox.requests.all().filter(({ path }) => path.includes('export'))).toEqual([]);
    expect(mail.taken).toEqual([]);
    expect((await folder.files()).filter((file) => !/^config|^admin-key/.test(file))).toEqual([]);
  });

  it('mails again at each manual run, even within one second', async () => {
    await good('run', 'weekly-spend');
    const again = await folder.run(['run', 'weekly-spend'], {
      env: { GATEWAY_BASE_URL: sandbox.baseUrl, SMTP_URL: mail.url },
      clock: manualClock(now + 1),
    });
    expect(again.stdout).toContain('2 mails sent');
    expect(mail.taken).toHaveLength(4);
  });

  it('reports how many windows of each dimension it pulled', async () => {
    const pulled = await good('run', 'pull-usage');
    expect(pulled.stdout).toMatch(/ figures landed, .*1 window by model and 1 .* token$/m);
  });

  it('builds a report as files and sends nothing', async () => {
    await good('run', 'pull-logs');
    const built = await good(
      'report',
      'spend-summary',
      '--period',
      '2026-11-01..2026-11-15',
      '--out',
      'built',
      '--json',
    );
    const { files } = JSON.parse(built.stdout) as { files: string[] };
    expect(files.map((file) => file.slice(folder.path.length + 1))).toEqual([
      'built/spend-summary.html',
      'built/spend-summary.txt',
    ]);
    expect(mail.taken).toEqual([]);
    const data = await good('report', 'spend-summary', '--attach', 'xlsx,CSV', '--out', 'data-too', '--json');
    const names = (JSON.parse(data.stdout) as { files: string[] }).files.map((file) =>
      file.split('/').at(-1),
    );
    expect(names.slice(0, 3)).toEqual([
      'spend-summary.html',
      'spend-summary.txt',
      'spend-summary-figures.csv',
    ]);
    const book = await readXlsxFile(`${folder.path}/data-too/spend-summary.xlsx`);
    expect(book.map(({ sheet }) => sheet)).toContain('Models');
    expect((await run('report', 'spend-summary', '--attach', 'docx')).stderr).toContain(
      'csv, xlsx, parquet, pdf',
    );
    expect((await good('reports')).stdout).toBe('no stored reports\n');
  });

  it('lists built and mailed reports with their figures and files', async () => {
    await good('run', 'weekly-spend');
    const kept = JSON.parse((await good('reports', '--json')).stdout) as {
      folder: string;
      job: string;
      totals: { exact: string }[];
      verdict: { verdict: string };
      mails: { recipient: string }[];
    }[];
    const truth = sandbox.truth.sums(seconds('2026-11-09T00:00:00Z'), seconds('2026-11-16T00:00:00Z'));
    expect(kept.map(({ job, totals }) => [job, totals[0]?.exact])).toEqual([['weekly-spend', truth.net]]);
    expect(kept[0]?.mails.map(({ recipient }) => recipient).sort()).toEqual([
      'finance@example.com',
      'ops@example.com',
    ]);
    const listed = await good('reports', '--job', 'weekly-spend');
    for (const message of [`${truth.net} USD`, kept[0]?.verdict.verdict ?? '', kept[0]?.folder ?? ''])
      expect(listed.stdout).toContain(message);
    expect((await good('reports', '--job', 'pull-logs')).stdout).toBe('no stored reports\n');
    expect(await run('reports', '--job', 'other')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unknown job other; jobs: ') as string,
    });
    await folder.write('data/reports/weekly-spend/strange/manifest.json', '{}');
    const damaged = await run('reports');
    expect(damaged.code).toBe(1);
    expect(damaged.stdout).toMatch(/1 folder without a readable report:\n {4}\S+strange\n$/);
  });

  it('lists jobs and their next runs with check', async () => {
    const checked = await good('check');
    expect(checked.stdout).toContain(
      'pull-logs  (pull-logs, 7 * * * *, UTC)\n    next: 2026-11-21 06:07, 2026-11-21 07:07',
    );
    expect(checked.stdout).toContain('the configuration is valid');
  });

  it('leaves no secret in any file except its source', async () => {
    await good('run', 'pull-logs');
    await good('run', 'pull-usage');
    await good('run', 'weekly-spend');
    const { readFile } = await import('node:fs/promises');
    const secrets = [
      sandbox.adminKey,
      'open/sesame',
      'open%2Fsesame',
      createHash('sha256').update(sandbox.adminKey).digest('hex'),
    ];
    const holding = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const file of await folder.files()) {
        const bytes = await readFile(`${folder.path}/${file}`);
        if (secrets.some((secret) => bytes.includes(secret))) found.push(file);
      }
      return found;
    };
    expect(await holding()).toEqual(['admin-key']);
    await folder.write('planted', `a leak of ${sandbox.adminKey}`);
    expect(await holding()).toEqual(['admin-key', 'planted']);
  });
});
