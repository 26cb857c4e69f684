import { Command, Help } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { approved, titled } from '../support/approved.ts';
import { openFolder, defaultConfig, programDeps, type Folder } from '../support/program.ts';
import { unreachable } from './support/fixture.ts';

let folder: Folder;
beforeEach(async () => {
  folder = await openFolder();
  await defaultConfig(folder);
});
afterEach(() => folder[Symbol.asyncDispose]());

const run = (...argv: string[]) => folder.run(argv, { env: unreachable });

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

  const ofKeys = 'list plan apply rotate expire create adopt confirm resume give-up history audit'.split(' ');

  it.each([
    ...commands.map(({ name }) => name),
    'outbox resend',
    'outbox drop',
    ...ofKeys.map((name) => `keys ${name}`),
  ])('%s shows examples', async (command) => {
    const ran = await run(...command.split(' '), '--help');
    expect(ran.code).toBe(0);
    const shown = command.replace(/^keys .*/, 'keys');
    expect(ran.stdout).toMatch(new RegExp(`Examples:\n(  .*\n)*  .*tollkeeper ${shown}`));
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
    ['a-file', ['report', 'spend-summary', '--out', 'a-file'], /a-file cannot be written \(E\w+\)\n.*--out/],
    ['a-file', ['demo', '--out', 'a-file'], /a-file cannot be written \(E\w+\)\n {2}what to do: .*--out/],
    ['data', ['run', 'pull-logs'], /data cannot be created \(EEXIST\)\n {2}what to do: /],
  ])('a file %s where %j needs a folder', async (file, argv, message) => {
    await folder.write(file, '');
    const ran = await run(...argv);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(message);
  });

  it('a health address that is not local', async () => {
    await folder.write('config/tollkeeper.yaml', 'health: { host: 192.0.2.1 }\n');
    await folder.write('config/jobs/spend.yaml', 'jobs:\n');
    const ran = await run('serve');
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/192\.0\.2\.1 cannot be listened on \(EADDRNOTAVAIL\)\n {2}what to do: /);
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
});
