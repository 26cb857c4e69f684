import { Command, Help } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { approved, titled } from '../support/approved.ts';
import { openFolder, defaultConfig, programDeps, type Folder } from '../support/program.ts';

let folder: Folder;
const env = {
  GATEWAY_BASE_URL: 'http://127.0.0.1:1',
  GATEWAY_ADMIN_KEY: 'sk-admin-of-no-gateway',
  SMTP_URL: 'smtp://127.0.0.1:1',
};
beforeEach(async () => {
  folder = await openFolder();
  await defaultConfig(folder);
});
afterEach(() => folder[Symbol.asyncDispose]());

const run = (...argv: string[]) => folder.run(argv, { env });

describe('the help', () => {
  it('lists each command with the arguments and options that it defines itself', async () => {
    const { stdout } = await run('--help');
    const silent = { write: () => undefined, isTerminal: false, columns: 80 };
    for (const { name, load } of commands) {
      const command = new Command(name);
      (await load()).define(command, programDeps(folder.path, silent, silent));
      expect(stdout).toContain(`\n  ${new Help().subcommandTerm(command)}  `);
    }
  });

  it.each(commands.map(({ name }) => name))('%s shows examples', async (command) => {
    const ran = await run(command, '--help');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(new RegExp(`Examples:\n(  .*\n)*  .*tollkeeper ${command}`));
    expect(ran.stderr).toBe('');
  });
});

/** Each is refused before anything is read or asked for, and with one of these names the nearest is suggested. */
const wrongUse = [
  ['rotat'],
  ['statsu'],
  ['xyzzy'],
  ['keys', 'rotat', 'billing'],
  ['outbox', 'drp', '1'],
  ['outbox', 'xyzzy'],
  ['alerts', 'mut', 'launch'],
  ['reports', 'nw', 'mine'],
  ['help', 'statsu'],
  ['help', 'rotat'],
  ['help', 'xyzzy'],
  ['status', '--jsn'],
  ['status', '--xyzzy'],
  ['run', 'pull-lgos'],
  ['run', 'constructor'],
  ['next', 'pull-lgos'],
  ['next', '--count', '10001'],
  ['next', '--count', '-1'],
  ['runs', 'pull-lgos'],
  ['runs', 'constructor'],
  ['runs', '--limit', '0'],
  ['runs', '--limit', 'many'],
  ['reports', '--job', 'pull-lgos'],
  ['report', 'spend-sumary'],
  ['report', 'spend-summary', '--account', 'man'],
  ['report', 'spend-summary', '--account', 'constructor'],
  ['report', 'spend-summary', '--timezone', 'Mars/Olympus'],
  ['report', 'spend-summary', '--timezone', 'Europe/Berln'],
  ['report', 'spend-summary', '--locale', 'fr'],
  ['report', 'spend-summary', '--mail-to', 'me'],
  ['keys', 'list', '--account', 'man'],
  ['doctor', '--account', 'unknown'],
  ['schema', 'cub'],
  ['schema', 'call_log'],
  ['query', 'SELECT 1', '--format', 'parquet'],
  ['completion', 'tcsh'],
  ['outbox', '--state', 'lost'],
  ['outbox', 'resend'],
  ['outbox', 'forget', '1'],
  ['sandbox', '--port', '70000'],
  ['sandbox', '--port', '0', '--host', '192.0.2.1'],
  ['sandbox', '--admin-key', ''],
  ['sandbox', '--admin-key', 'two words'],
  ['sandbox', '--admin-key', 'schlüssel'],
  ['reconcile', '--from', '2026-11-12'],
  ['reconcile', '--from', 'soon', '--to', '2026-11-15'],
  ['reconcile', '--from', '2026-11-15', '--to', '2026-11-15'],
  ['reconcile', '--from', '2026-11-12', '--to', '2026-11-15', '--account', 'unknown'],
  ['run', 'pull-logs', '--from', '2026-11-20'],
  ['run', 'pull-logs', '--to', '2026-11-20'],
  ['run', 'pull-logs', '--slot', '2026-11-20T05:07', '--to', '2026-11-21'],
  ['run', 'pull-logs', '--slot', 'yesterday'],
  ['run', 'pull-logs', '--slot', '2027-01-01'],
  ['run', 'pull-logs', '--from', '2026-11-21', '--to', '2026-11-20'],
  ['run', 'pull-logs', '--accept-empty'],
  ['run', 'pull-logs', '--accept-empty', '--slot', '2026-11-20T05:07'],
  ['run', 'pull-usage', '--from', '2026-11-18', '--to', '2026-11-19', '--accept-empty'],
];

it('a command line that is wrong exits with 2, and its error names the nearest known name and shows no stack trace', async () => {
  const errors: [string, string][] = [];
  for (const argv of wrongUse) {
    const { code, stdout, stderr } = await run(...argv);
    expect([argv, code, stdout]).toEqual([argv, 2, '']);
    expect(stderr).not.toMatch(/^ {4}at /m);
    const shown = stderr.replaceAll(folder.path, '<folder>').replaceAll(process.cwd(), '<program>');
    errors.push([argv.map((part) => (/^[\w.:/-]+$/.test(part) ? part : `'${part}'`)).join(' '), shown]);
  }
  await expect(titled(errors)).toMatchFileSnapshot(approved('cli/wrong-use'));
});

describe('an error names the place and the next step for', () => {
  it.each([
    ['report', ['report', 'spend-summary', '--out', 'a-file']],
    ['demo', ['demo', '--out', 'a-file']],
  ])('%s into a folder that cannot be one', async (_, argv) => {
    await folder.write('a-file', '');
    const ran = await run(...argv);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/a-file cannot be written \(E\w+\)\n {2}what to do: .*--out/);
  });

  it('a data folder that cannot be created', async () => {
    await folder.write('data', 'a file');
    const ran = await run('run', 'pull-logs');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/data cannot be created \(EEXIST\)\n {2}what to do: /);
  });

  it('a health address that is not local', async () => {
    await folder.write('config/tollkeeper.yaml', 'health: { host: 192.0.2.1 }\n');
    await folder.write('config/jobs/spend.yaml', 'jobs:\n');
    const ran = await run('serve');
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/192\.0\.2\.1 cannot be listened on \(EADDRNOTAVAIL\)\n {2}what to do: /);
  });
});

describe('report --locale', () => {
  it('overrides the configured language', async () => {
    await folder.write('config/jobs/spend.yaml', 'jobs:\n');
    const first = async (...argv: string[]): Promise<string> =>
      (await run('report', 'spend-summary', '--period', '2026-11-01..2026-11-03', ...argv)).stdout;
    expect(await first('--locale', 'zh')).toMatch(/^AI 支出 · 2026年11月1日 – 2日 · 尚无数据/);
    expect(await first('--locale', 'de')).toMatch(/^KI-Kosten · 01\.–02\.11\.2026 · /);
    expect(await first()).toMatch(/^AI spend · Nov 1 – 2, 2026 · /);
  });
});

describe('check', () => {
  it('reports faults in the texts of a report with their position', async () => {
    await folder.write(
      'config/reports/mine/report.yaml',
      [
        'title: Mine',
        'subject: "{title}"',
        'preheader: "{total}"',
        'headline: { label: Spend, sql: a.sql, name: spend }',
        'sections: [{ kind: text, text: Hello. }]',
      ].join('\n'),
    );
    await folder.write('config/reports/mine/a.sql', 'SELECT sum(spend) AS spend FROM cube');
    await folder.write('config/reports/mine/texts.zh.yaml', 'Mine: 我的\nSpent: 支出\nHello.: 你好。\n');
    await folder.write(
      'config/jobs/spend.yaml',
      'jobs:\n  mine: { kind: report, report: mine, mail: { to: [a@example.com] } }\n',
    );
    const { stdout } = await run('check');
    expect(stdout).toMatch(/texts\.zh\.yaml:2:1: unknown text "Spent"/);
    expect(stdout).toContain('did you mean "Spend"?');
    expect(stdout).toMatch(/report\.yaml:4:20: texts\.zh\.yaml has no words for "Spend"/);
    expect(stdout).not.toContain('"Hello."');
  });

  it('shows the seconds of schedules that use them, and times as text in JSON', async () => {
    await folder.write(
      'config/jobs/spend.yaml',
      'jobs:\n  often: { kind: pull-logs, schedule: "*/20 * * * * *", since: 2026-01-01 }\n',
    );
    expect((await run('check')).stdout).toMatch(/next: .* 09:30:20, .* 09:30:40, .* 09:31:00$/m);
    const { jobs } = JSON.parse((await run('check', '--json')).stdout) as { jobs: { next: string[] }[] };
    expect(jobs[0]?.next[0]).toBe('2026-11-20T09:30:20.000Z');
  });

  it('reports what is in place of tollkeeper.yaml', async () => {
    await folder.write('wrong/tollkeeper.yml', '');
    expect((await run('check', '--config', 'wrong')).stdout).toContain('rename tollkeeper.yml');
    await folder.write('config/jobs/folder.yaml/inside', '');
    expect((await run('check')).stdout).toContain('where a file is expected');
    const file = await run('check', '--config', 'config/tollkeeper.yaml');
    expect(file.stdout).toContain('where a folder is expected');
    expect(file.stdout).toContain('1 fault\n');
  });
});

describe('run', () => {
  it('prints warnings as text with a next step, and only the outcome on standard output', async () => {
    const ran = await run('run', 'weekly-spend', '--json');
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      mail: { deferred: 2, problem: expect.any(String) as string },
    });
    expect(ran.stderr).toMatch(
      /^error: the run failed: .*\(job pull-logs, slot [^,]*\)\n {2}what to do: .*\(gateway-unreachable\)$/m,
    );
    expect(ran.stderr).not.toContain('{"');
    expect(ran.stderr + ran.stdout).not.toContain('sk-admin-of');
  });

  it('says what happens to delayed mail, and what failed', async () => {
    const ran = await run('run', 'weekly-spend');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/enqueued for 2 recipients\n$/);
    expect(ran.stderr).toMatch(/2 to be retried by `serve` or the next `run`.*\n {2}first error: /);
  });
});
