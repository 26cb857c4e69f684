import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCliFixture, unreachable, type CliFixture } from './support/fixture.ts';

let fixture: CliFixture;
let env: Record<string, string>;
beforeEach(async () => {
  fixture = await openCliFixture({ now: Date.UTC(2026, 10, 21, 6, 3, 7), since: '2026-11-01' });
  env = {};
});
afterEach(() => fixture[Symbol.asyncDispose]());

const run = (...argv: string[]) => fixture.run(argv, { env });
const noGateway = { GATEWAY_BASE_URL: unreachable.GATEWAY_BASE_URL };

describe('before any run,', () => {
  it('status says without an error that no daemon runs', async () => {
    const ran = await run('status');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^no daemon is running/);
    expect(ran.stdout).toMatch(/^pull-logs +not run yet +in 3 min 53 s$/m);
  });

  it('next lists slots in order, of all jobs or of one', async () => {
    const all = await run('next', '--count', '3');
    expect(all).toMatchObject({ code: 0, stderr: '' });
    expect(all.stdout).toMatch(/^times in UTC\nSLOT .*\n2026-11-21 06:07 .* pull-logs\n2026-11-21 07:07 /);
    const one = await run('next', 'pull-usage', '--count', '2', '--json');
    expect(JSON.parse(one.stdout)).toEqual([
      { job: 'pull-usage', slot: '2026-11-22T01:20:00.000Z', zone: 'UTC' },
      { job: 'pull-usage', slot: '2026-11-23T01:20:00.000Z', zone: 'UTC' },
    ]);
  });
});

describe('a single run', () => {
  it('of a slot is done once for any number of requests', async () => {
    const slot = ['run', 'pull-logs', '--slot', '2026-11-21T05:07'];
    const first = await run(...slot);
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/rows/);
    const asked = fixture.sandbox.requests.all().length;
    fixture.clock.advance(60_000);
    const again = await run(...slot);
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(/^already ran, succeeded at 2026-11-21 06:03 UTC: .*rows/);
    expect(fixture.sandbox.requests.all()).toHaveLength(asked);
    const json = JSON.parse((await run(...slot, '--json')).stdout) as object;
    expect(json).toMatchObject({ already: true, run: { slot: '2026-11-21T05:07:00.000Z', state: 'ok' } });
    const runs = await run('runs', 'pull-logs');
    expect(runs.stdout).toMatch(/^2026-11-21 05:07 {2}pull-logs {2}hand +ok +1 /m);
  });

  it('that fails gives the reason once with code and next step, and exits with 1', async () => {
    env = noGateway;
    const ran = await run('run', 'pull-logs');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toMatch(
      /^tollkeeper: pull-logs failed: .*127\.0\.0\.1:1.*\n {2}what to do: .* \(gateway-unreachable\)\n$/m,
    );
    expect(ran.stderr.match(/failed: /g)).toHaveLength(1);
    const json = await run('run', 'pull-logs', '--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ run: { state: 'failed', code: 'gateway-unreachable' } });
    const runs = await run('runs', '--limit', '1');
    expect(runs.stdout).toMatch(/ failed .* gateway-unreachable: /);
  });
});

describe('a backfill', () => {
  const range = ['run', 'pull-usage', '--from', '2026-11-18', '--to', '2026-11-21'];

  it('has one line per run and a closing line, and repeats nothing', async () => {
    const first = await run(...range);
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(
      /^times in UTC\n2026-11-18 01:20 {2}ok .*\n2026-11-19 01:20 {2}ok .*\n2026-11-20 01:20 {2}ok .*\n3 slots: 3 ok, 0 already ran, 0 failed\n$/,
    );
    expect(first.stderr).toContain('slot 1 of 3\n');
    const asked = fixture.sandbox.requests.all().length;
    const again = await run(...range);
    expect(again.stdout).toMatch(/\n2026-11-19 01:20 {2}already ran .*\n/);
    expect(again.stdout).toMatch(/3 slots: 0 ok, 3 already ran, 0 failed\n$/);
    expect(fixture.sandbox.requests.all()).toHaveLength(asked);
  });

  it('plans with --dry-run and writes nothing', async () => {
    const ran = await run(...range, '--dry-run', '--json');
    expect(ran.code).toBe(0);
    const { plan } = JSON.parse(ran.stdout) as { plan: string[] };
    expect(plan.filter((line) => line.startsWith('slot 2026-11-19 01:20 UTC: '))).not.toEqual([]);
    expect(await fixture.folder.files()).toEqual(['config/jobs/spend.yaml', 'config/tollkeeper.yaml']);
  });

  it('continues after a failed run, and exits with 1', async () => {
    env = noGateway;
    const ran = await run(...range);
    expect(ran.code).toBe(1);
    expect(ran.stdout.match(/ {2}failed .*gateway-unreachable: .*\n {4}what to do: /g)).toHaveLength(3);
    expect(ran.stdout).toMatch(/3 slots: 0 ok, 0 already ran, 3 failed\n$/);
    const json = await run(...range, '--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ slots: 3, failed: 3, runs: [{}, {}, {}] });
  });

  it('of an interval without a slot says so', async () => {
    const ran = await run('run', 'pull-usage', '--from', '2026-11-18T02:00', '--to', '2026-11-18T03:00');
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^no slots .*\n$/) as string });
  });
});

describe('a backfill of pull-logs', () => {
  const range = ['run', 'pull-logs', '--from', '2026-11-18', '--to', '2026-11-19'];
  const exported = (): readonly (readonly [string, string])[] =>
    fixture.sandbox.requests
      .all()
      .filter(({ path }) => path.startsWith('/api/log/self/stream-export'))
      .map(({ query }) => [query['start_timestamp'] ?? '', query['end_timestamp'] ?? ''] as const)
      // A pull begins with an export of one second, which shows the format.
      .filter(([start, end]) => Number(end) - Number(start) > 1);
  const day = Date.UTC(2026, 10, 18) / 1000;

  it('plans and pulls the days of data that it names, however often', async () => {
    expect((await run('run', 'pull-logs')).code).toBe(0);
    const { stdout } = await run(...range, '--dry-run');
    expect(stdout).toMatch(/again from 2026-11-18 00:00 UTC to 2026-11-19 00:00 UTC\n$/);
    for (let times = 0; times < 2; times += 1) {
      fixture.sandbox.requests.clear();
      const ran = await run(...range);
      expect(ran.code).toBe(0);
      expect(ran.stdout).toMatch(/\n1 slot: 1 ok, 0 already ran, 0 failed\n$/);
      expect(exported()).toEqual([[String(day - 1), String(day + 86_400)]]);
    }
  });
});

it('status exits with 0 for a mail that waits for its server', async () => {
  const jobs = await readFile(`${fixture.folder.path}/config/jobs/spend.yaml`, 'utf8');
  await fixture.folder.write('config/jobs/spend.yaml', jobs.replace('needs: [pull-logs]', 'needs: []'));
  await run('run', 'weekly-spend');
  const status = await run('status', '--json');
  expect(status.code).toBe(0);
  expect(JSON.parse(status.stdout)).toMatchObject({ mail: { waiting: 2 }, needsPerson: [] });
});
