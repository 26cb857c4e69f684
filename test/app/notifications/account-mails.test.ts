import { describe, expect, it } from 'vitest';
import { money, unixMillis, unixSeconds, silentLog, systemClock } from '../../../src/core/index.ts';
import { adminKeyMail, gapMail, learnedMail } from '../support/alert-emails.ts';
import type { Job } from '../../../src/config/index.ts';
import {
  type KnownGap,
  openWarehouse,
  type LearnedChange,
  type Warehouse,
} from '../../../src/warehouse/index.ts';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { openFolder, type Folder } from '../../support/program.ts';

const at = (text: string) => unixMillis(Date.parse(text));
const account = { admin_key_issued: '2026-01-01', admin_key_max_age: 90 * 86_400_000 };
const people = { from: 'Tollkeeper <t@example.com>', operators: ['ops@example.com'] };

describe('the reminder of an Admin Key', () => {
  it('is sent at its age, once in thirty days, and says what a person must do', () => {
    expect(adminKeyMail('main', account, at('2026-03-31T12:00:00Z'), people)).toBeUndefined();
    const first = adminKeyMail('main', account, at('2026-04-01T12:00:00Z'), people);
    expect(first?.subject).toContain('main is 90 days old');
    const same = adminKeyMail('main', account, at('2026-04-20T12:00:00Z'), people);
    expect(same?.key).toEqual(first?.key);
    const second = adminKeyMail('main', account, at('2026-05-03T12:00:00Z'), people);
    expect(second?.key).not.toEqual(first?.key);
  });

  it('starts again with another key, and is not sent without an age or a recipient', () => {
    const now = at('2026-08-01T00:00:00Z');
    const one = adminKeyMail('main', account, now, people);
    const other = adminKeyMail('main', { ...account, admin_key_issued: '2026-01-02' }, now, people);
    expect(other?.key).not.toEqual(one?.key);
    expect(
      adminKeyMail('main', { admin_key_max_age: 1, admin_key_issued: undefined }, now, people),
    ).toBeUndefined();
    expect(adminKeyMail('main', account, now, { ...people, operators: [] })).toBeUndefined();
  });
});

const second = (text: string) => unixSeconds(Date.parse(text) / 1000);
const gap: KnownGap = {
  source: 'statistics',
  range: { start: second('2026-11-20T08:57:00Z'), end: second('2026-11-20T09:57:00Z') },
  gap: money('1.5'),
  unit: 'USD',
  verdict: 'truncated',
  text: 'The log is short by <1.5>.',
  state: 'open',
  notedAt: unixMillis(Date.parse('2026-11-20T10:07:05Z')),
};
const pull = {
  name: 'pull-logs',
  kind: 'pull-logs',
  account: 'main',
  schedule: '7 * * * *',
  timezone: 'UTC',
};
const deps = {
  from: 'reports@example.com',
  operators: ['ops@example.com'],
  zone: 'UTC',
  jobs: { 'pull-logs': pull as unknown as Job },
};
const errorText = (gaps: readonly KnownGap[], more: object = {}): string =>
  gapMail(gaps, 'main', { ...deps, ...more })?.text.replaceAll(/\s+/g, ' ') ?? '';

it('the notification of a gap names the runs that pull it again, and is sent once for a gap', () => {
  const mail = gapMail([gap], 'main', deps);
  expect(errorText([gap])).toContain(
    '`tollkeeper run pull-logs --from 2026-11-20T08:57:00Z --to 2026-11-20T09:57:00Z`',
  );
  expect(mail?.html).not.toContain('<1.5>');
  expect(mail?.key).toEqual(gapMail([gap], 'main', deps)?.key);
  expect(mail?.key).not.toEqual(gapMail([{ ...gap, gap: money('2') }], 'main', deps)?.key);
});

it('the notification of a gap recommends no pull of complete data or without a scheduled job, and is not sent without a recipient', () => {
  const odd: KnownGap = { ...gap, verdict: 'unexplained' };
  expect(gapMail([odd], 'main', deps)?.subject).toContain('main does not reconcile');
  expect(errorText([odd])).not.toContain('tollkeeper run');
  expect(errorText([odd])).toContain('tollkeeper reconcile');
  expect(errorText([gap], { jobs: {} })).not.toContain('tollkeeper run');
  expect(gapMail([], 'main', deps)).toBe(undefined);
  expect(gapMail([gap], 'main', { ...deps, operators: [] })).toBe(undefined);
  expect(errorText(Array.from({ length: 500 }, () => gap))).toContain('and 460 more');
});

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

it('no change or no recipient causes no mail about the export format', () => {
  expect(learnedMail([], 'main', deps)).toBe(undefined);
  expect(learnedMail(alert, 'main', { ...deps, operators: [] })).toBe(undefined);
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
