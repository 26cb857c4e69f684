import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { systemClock } from '../../src/core/index.ts';
import { openFolder, type Folder } from '../support/program.ts';

let folder: Folder;
let sandbox: Sandbox;
beforeAll(async () => {
  folder = await openFolder();
  sandbox = await startSandbox({ now: systemClock.now, months: 1, callsPerDay: 40 });
  await folder.write(
    'config/tollkeeper.yaml',
    `timezone: UTC
accounts: { main: { base_url: "${sandbox.baseUrl}", admin_key: "\${KEY}", currency: USD } }
teams:
  growth: { keys: ["growth-*"] }
  mistyped: { keys: ["gro\u0301wth-maill"] }
budgets: { mini: { model: "gtp-4*", amount: 5 } }
`,
  );
  await folder.write('config/jobs/a.yaml', 'jobs:\n  pull-logs: { kind: pull-logs, since: 2026-11-01 }\n');
});
afterAll(async () => {
  await sandbox.stop();
  await folder[Symbol.asyncDispose]();
});

const run = (...argv: string[]) => folder.run(argv, { clock: systemClock, env: { KEY: sandbox.adminKey } });

it('check and doctor warn of selectors that match nothing, with their places and similar names', async () => {
  const before = await folder.files();
  const unknown = await run('check');
  expect([unknown.code, unknown.stdout]).toEqual([0, expect.not.stringContaining('matches')]);
  expect(await folder.files()).toEqual(before);

  expect((await run('run', 'pull-logs')).code).toBe(0);
  const checked = await run('check', '--json');
  expect(checked.code).toBe(0);
  const { warnings } = JSON.parse(checked.stdout) as {
    warnings: { line: number; message: string; advice: string }[];
  };
  const shown = warnings.filter(({ message }) => message.includes('matches'));
  expect(shown.map(({ line, message }) => [line, message])).toEqual([
    [5, 'teams.mistyped.keys[0]: no key matches "gro\u0301wth-maill"'],
    [6, 'budgets.mini.model: no model matches "gtp-4*"'],
  ]);
  expect(shown[0]?.advice).toMatch(/similar names: growth-mail$/);
  expect(shown[1]?.advice).toMatch(/similar names: gpt-4/);

  const { stdout } = await run('doctor');
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/selector teams\.mistyped\.keys\[0\].* no key matches/);
  expect(stdout).not.toContain('selector teams.growth');
});
