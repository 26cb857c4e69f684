import { expect, it } from 'vitest';
import { silentLog, systemClock, unixMillis } from '../../../src/core/index.ts';
import { learnedMail } from '../support/alert-emails.ts';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { openWarehouse, type LearnedChange, type Warehouse } from '../../../src/warehouse/index.ts';
import { openFolder, type Folder } from '../../support/program.ts';

const deps = { from: 'reports@example.com', operators: ['ops@example.com'], zone: 'UTC' };
const notedAt = unixMillis(Date.UTC(2026, 0, 1));
const alert: readonly LearnedChange[] = [
  { topic: 'column-appeared', name: 'tier<b>', role: '', notedAt },
  { topic: 'column-gone', name: 'reasoning_tokens', role: 'reasoning_tokens', notedAt },
  { topic: 'kind-unknown', name: 'gift', evidence: '3 rows of a day, amounts as served 12.5', notedAt },
];

it('a mail about the export format names, and escapes, what changed, and is the same for the same changes', () => {
  const mail = learnedMail(alert, 'main', deps);
  expect(mail?.subject).toMatch(/ main .*1 new .*, 1 removed .*, 1 unknown row kind$/);
  for (const message of ['New column tier<b>', '3 rows of a day, amounts as served 12.5'])
    expect(mail?.text.replaceAll(/\s+/g, ' ')).toContain(message);
  expect(mail?.html).toContain('tier&lt;b&gt;');
  expect(mail?.html).not.toContain('tier<b>');
  expect(learnedMail(alert, 'main', deps)?.key).toEqual(mail?.key);
  expect(learnedMail(alert.slice(1), 'main', deps)?.key).not.toEqual(mail?.key);
});

it('no change or no recipient causes no mail about the export format, and many changes one readable mail', () => {
  expect(learnedMail([], 'main', deps)).toBe(undefined);
  expect(learnedMail(alert, 'main', { ...deps, operators: [] })).toBe(undefined);
  const crowd = Array.from({ length: 500 }, (_, index): LearnedChange => ({
    topic: 'column-appeared',
    name: `c${index}`,
    role: '',
    notedAt,
  }));
  const mail = learnedMail(crowd, 'main', deps);
  expect(mail?.text).toContain('and 460 more');
  expect(mail?.text.length).toBeLessThan(20_000);
});

const withWarehouse = async <T>(folder: Folder, use: (warehouse: Warehouse) => Promise<T>): Promise<T> => {
  await using warehouse = await openWarehouse({
    path: `${folder.path}/data/tollkeeper.duckdb`,
    memoryLimit: '256MB',
    threads: 1,
    spoolDirectory: `${folder.path}/data/spool`,
    clock: systemClock,
    log: silentLog,
  });
  return await use(warehouse);
};

it('a missing column is mailed to operators only by the pull that detects it', async () => {
  const sandbox = await startSandbox({ now: Date.now, months: 1, callsPerDay: 20 });
  await using folder = await openFolder();
  const settingsFor = (operators: string): string =>
    `accounts: { main: { base_url: "${sandbox.baseUrl}", admin_key: "\${KEY}" } }
mail: { smtp: "smtp://localhost:1", from: reports@example.com, operators: [${operators}] }
`;
  await folder.write('config/tollkeeper.yaml', settingsFor('ops@example.com, boss@example.com'));
  const day = (back: number): string => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
  await folder.write(
    'config/jobs/jobs.yaml',
    `jobs:\n  pull: { kind: pull-logs, schedule: "0 0 * * *", since: ${day(4)} }\n`,
  );
  const run = (...argv: string[]) => folder.run(argv, { clock: systemClock, env: { KEY: sandbox.adminKey } });
  const mails = async (): Promise<readonly string[]> =>
    withWarehouse(folder, async ({ outbox }) =>
      (await outbox.list()).filter(({ kind }) => kind === 'learned').map(({ recipient }) => recipient),
    );
  expect((await run('run', 'pull')).code).toBe(0);
  expect(await mails()).toEqual([]);
  await withWarehouse(folder, async ({ profile, notifyOnce }) => {
    const known = (await profile.columns('main')).map(({ name }) => ({ name }));
    await profile.noteColumns('main', { unasked: [...known, { name: 'of_yesterday' }] });
    await notifyOnce('learned', 'main', async () => []);
  });
  const pullAgain = (back: number) => run('run', 'pull', '--from', day(back), '--to', day(back - 1));
  expect((await pullAgain(2)).stderr).toContain('of_yesterday');
  expect((await mails()).toSorted()).toEqual(['boss@example.com', 'ops@example.com']);
  await folder.write(
    'config/tollkeeper.yaml',
    settingsFor('ops@example.com, boss@example.com, new@example.com'),
  );
  expect((await pullAgain(3)).stderr).not.toContain('of_yesterday');
  expect(await mails()).toHaveLength(2);
  await sandbox.stop();
});
