import { Command, Help } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
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

describe('an error is reported without a stack trace for', () => {
  it.each([
    [['report', 'spend-summary', '--timezone', 'Mars/Olympus'], /unknown time zone Mars\/Olympus/],
    [['report', 'spend-summary', '--account', 'constructor'], /unknown account constructor; accounts: main/],
    [['run', 'constructor'], /unknown job constructor/],
    [['report', 'spend-summary', '--locale', 'fr'], /Allowed choices are en, de, zh/],
    [['sandbox', '--port', '70000'], /at most 65535/],
    [['sandbox', '--port', '0', '--host', '192.0.2.1'], /192\.0\.2\.1 cannot be listened on/],
  ])('%j', async (argv, message) => {
    const ran = await run(...argv);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).not.toMatch(/^ {4}at /m);
  });

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

describe('a misspelled name is answered with the nearest one:', () => {
  it.each([
    [['rotat'], "error: unknown command 'rotat'. Did you mean keys rotate?\n"],
    [['statsu'], "error: unknown command 'statsu'. Did you mean status?\n"],
    [['keys', 'rotat', 'billing'], "error: unknown command 'rotat'. Did you mean rotate?\n"],
    [['outbox', 'drp', '1'], "error: unknown command 'drp'. Did you mean drop?\n"],
    [['alerts', 'mut', 'launch'], "error: unknown command 'mut'. Did you mean mute?\n"],
    [['reports', 'nw', 'mine'], "error: unknown command 'nw'. Did you mean new?\n"],
    [['help', 'statsu'], "error: unknown command 'statsu'. Did you mean status?\n"],
    [['help', 'rotat'], "error: unknown command 'rotat'. Did you mean keys rotate?\n"],
    [['status', '--jsn'], "error: unknown option '--jsn'. Did you mean --json?\n"],
    [['run', 'pull-lgos'], 'what to do: did you mean pull-logs?'],
    [['next', 'pull-lgos'], 'what to do: did you mean pull-logs?'],
    [['runs', 'pull-lgos'], 'what to do: did you mean pull-logs?'],
    [['reports', '--job', 'pull-lgos'], 'what to do: did you mean pull-logs?'],
    [['report', 'spend-sumary'], 'what to do: did you mean spend-summary?'],
    [['report', 'spend-summary', '--account', 'man'], 'what to do: did you mean main?'],
    [['keys', 'list', '--account', 'man'], 'what to do: did you mean main?'],
    [['report', 'spend-summary', '--timezone', 'Europe/Berln'], 'did you mean "Europe/Berlin"?'],
    [['schema', 'cub'], 'what to do: did you mean cube?'],
  ])('%j', async (argv, message) => {
    const ran = await run(...argv);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(message);
  });

  it('a name that is similar to no known name gets no suggestion', async () => {
    expect((await run('xyzzy')).stderr).toBe("error: unknown command 'xyzzy'\n(see --help for options)\n");
    expect(await run('help', 'xyzzy')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: "error: unknown command 'xyzzy'\n(see --help for options)\n",
    });
    expect((await run('status', '--xyzzy')).stderr).toBe(
      "error: unknown option '--xyzzy'\n(see --help for options)\n",
    );
    expect((await run('outbox', 'xyzzy')).stderr).toMatch(/^error: too many arguments for 'outbox'/);
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
    expect(stdout).toMatch(/texts\.zh\.yaml:2:1: unknown text "Spent": report\.yaml does not say it/);
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
    expect((await run('check')).stdout).toContain('a folder exists where a file is expected');
    const file = await run('check', '--config', 'config/tollkeeper.yaml');
    expect(file.stdout).toContain('a file exists where a folder is expected');
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
