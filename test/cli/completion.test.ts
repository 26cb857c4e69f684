import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFolder, type Folder } from '../support/program.ts';

let folder: Folder;
beforeEach(async () => {
  folder = await openFolder();
  // References are not set, and one job has a fault: names are completed all the same.
  await folder.write(
    'config/tollkeeper.yaml',
    `accounts: { main: { base_url: "\${URL}", admin_key: "\${KEY}", budget: { month: "1" } } }
teams: { search: { keys: ["search-*"] } }
budgets: { launch: { service: launch-demo, amount: "1" } }
`,
  );
  await folder.write(
    'config/jobs/spend.yaml',
    'jobs:\n  daily-spend: { kind: report }\n  data-pull: { kind: pull-logs }\n  rotate: { kind: rotate-keys, keys: { name: billing } }\n',
  );
  await folder.write('config/reports/mine/report.yaml', 'title: Mine\n');
});
afterEach(() => folder[Symbol.asyncDispose]());

const complete = async (...words: string[]): Promise<readonly string[]> => {
  const ran = await folder.run(['completion', 'complete', '--', ...words]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return ran.stdout.split('\n').slice(0, -1);
};

describe('the candidates for a command line', () => {
  it.each([
    ['ru', 'run runs'],
    ['run da', 'daily-spend data-pull'],
    ['run rotate ', ''],
    ['next ', 'daily-spend data-pull rotate'],
    ['report m', 'mine'],
    ['report spend-s', 'spend-summary'],
    ['report mine --comparison same-w', 'same-weekday'],
    ['report mine --team ', 'search'],
    ['report mine --period ', ''],
    ['report --local', '--locale'],
    ['outbox re', 'release resend'],
    ['alerts mute ', 'account-main launch'],
    ['keys rotate ', 'billing launch-demo'],
    ['completion z', 'zsh'],
    ['unknown ', ''],
  ])('%j are %j', async (line, candidates) => {
    expect((await complete(...line.split(' '))).join(' ')).toBe(candidates);
  });

  it('come from the folder that --config names, and from nothing when it cannot be read', async () => {
    await folder.write('other/jobs/a.yaml', 'jobs:\n  elsewhere: {}\n');
    expect(await complete('run', '--config', 'other', '')).toEqual(['elsewhere']);
    expect(await complete('run', '-c', 'missing', '')).toEqual([]);
  });
});

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    const ran = await folder.run(['completion', shell]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('tollkeeper completion complete -- ');
  });
});
