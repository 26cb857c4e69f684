import { describe, expect, it } from 'vitest';
import { silentLog, unixMillis, zero, type LogFields } from '../../src/core/index.ts';
import { createWatermarks, jobKinds } from '../../src/jobs/index.ts';
import { createGateway } from '../../src/gateway/index.ts';
import { createHttp } from '../../src/http/index.ts';
import { variantTable, type SandboxOptions } from '../../src/sandbox/index.ts';
import { everyVariant, now, switched } from '../support/gateway-fixture.ts';
import { approved, titled } from '../support/approved.ts';
import { openJobFixture, type JobFixture, type RunChange } from '../support/job-fixture.ts';

const hour = 3_600_000;
const spec = {
  name: 'made meanwhile',
  remainQuota: zero,
  unlimitedQuota: true,
  expiredTime: 'never',
  group: '',
} as const;

const inventory = async ({ context, clock }: JobFixture) =>
  context.warehouse.snapshots.inventoryAt('main', clock.now());
const idsIn = async (fixture: JobFixture) => (await inventory(fixture))?.keys.map(({ id }) => id);
const idsThere = ({ sandbox }: JobFixture) =>
  sandbox.state.keys
    .all()
    .map(({ id }) => id)
    .toSorted((left, right) => left - right);

const makeKeys = async ({ gateway }: JobFixture, count: number): Promise<void> => {
  await Promise.all(Array.from({ length: count }, async () => gateway.createKey(spec)));
};

/** A run's account whose client lets something happen before each page of keys. */
const withMeddler = (fixture: JobFixture, before: (page: number) => Promise<unknown>) => {
  const http = createHttp({
    userAgent: 'tollkeeper/test',
    env: {},
    timeouts: { connect: 5000, headers: 20_000, idle: 20_000, total: 60_000 },
  });
  let pages = 0;
  const gateway = createGateway({
    baseUrl: fixture.sandbox.baseUrl,
    adminKey: fixture.secrets.register(fixture.sandbox.adminKey),
    http: {
      ...http,
      send: async (request) => {
        if (request.url.pathname.endsWith('/api/token/')) {
          pages += 1;
          await before(pages);
        }
        return http.send(request);
      },
    },
    clock: fixture.clock,
    random: () => 0,
    log: silentLog,
    secrets: fixture.secrets,
  });
  const change: RunChange = { account: { ...fixture.context.account, gateway } };
  return { change, pages: () => pages, [Symbol.asyncDispose]: async () => http[Symbol.asyncDispose]() };
};

it('a snapshot stores the profile, statistics and keys, and reports added, removed and changed keys (G5.4)', async () => {
  await using fixture = await openJobFixture();
  const { gateway, clock, sandbox, context, run, plan } = fixture;
  const { snapshots } = context.warehouse;
  const texts: [string, string][] = [['first plan', (await plan('snapshot', {})).join('\n')]];
  const there = idsThere(fixture).length;
  const taken = async (title: string, figures: object): Promise<void> => {
    const outcome = await run('snapshot', {});
    expect(outcome.figures).toMatchObject(figures);
    texts.push([title, outcome.summary]);
  };
  await taken('first run', { keys: there, new: 0, gone: 0, changed: 0 });
  const { rest: _, ...profile } = await gateway.profile();
  expect(await snapshots.latestAccount('main')).toEqual({
    ...profile,
    rest: '{}',
    askedAt: now,
    takenAt: now,
  });
  const end = Math.floor(now / 1000);
  const statistics = await snapshots.statisticsBetween('main', unixMillis(now), unixMillis(now + 1));
  expect(statistics.map(({ start, end: last }) => [start, last])).toEqual([
    [end - 3600, end],
    [end - 86_400, end],
  ]);
  for (const { start, end: last, quota, rpm, tpm, mpm } of statistics)
    expect({ quota, rpm, tpm, mpm, rest: {} }).toEqual(await gateway.statistics({ start, end: last }));
  expect(statistics[1]?.quota).not.toBe('0');

  const made = await gateway.createKey({ ...spec, name: 'fresh' });
  await gateway.createKey(spec);
  const [first = 0, second = 0] = (await gateway.listKeys())
    .filter(({ unlimitedQuota, status }) => unlimitedQuota && status === 1)
    .map(({ id }) => id)
    .toSorted((left, right) => left - right);
  await gateway.deleteKey(first);
  sandbox.traffic.disableKey(second);
  clock.advance(hour);
  await taken('keys have changed', { keys: there + 1, new: 2, gone: 1, changed: 1 });
  expect(await idsIn(fixture)).toEqual(idsThere(fixture));
  clock.advance(hour);
  await taken('no key has changed', { keys: there + 1, new: 0, gone: 0, changed: 0 });

  const [from, to] = [unixMillis(now + hour), unixMillis(now + 2 * hour)];
  expect((await snapshots.latestAccount('main'))?.takenAt).toBe(to);
  expect((await snapshots.accountBetween('main', from, to)).map(({ takenAt }) => takenAt)).toEqual([from]);
  expect(await snapshots.changes('main', unixMillis(now), from)).toEqual([]);
  const changes = await snapshots.changes('main', from, unixMillis(to + 1));
  expect(changes.map(({ what, key }) => [what, key.id])).toEqual([
    ['gone', first],
    ['changed', second],
    ['new', made.id],
    ['new', made.id + 1],
  ]);
  expect(JSON.stringify([await inventory(fixture), changes])).not.toContain(made.key.reveal().slice(8, 30));
  texts.push(['next plan', (await plan('snapshot', {})).join('\n')]);
  await expect(titled(texts)).toMatchFileSnapshot(approved('jobs/snapshot'));
});

it('a snapshot has a watermark, and no backfill can take one of the past', async () => {
  await using fixture = await openJobFixture();
  const { context, sandbox, run, plan } = fixture;
  const watermark = createWatermarks(jobKinds);
  const job = { kind: 'snapshot', account: 'main', timezone: 'UTC', fields: {} };
  expect(await watermark.watermarkOf(job, context)).toBeUndefined();
  sandbox.requests.clear();
  expect(await plan('snapshot', {}, { trigger: 'backfill' })).toHaveLength(1);
  expect((await run('snapshot', {}, { trigger: 'backfill' })).summary).toContain('nothing to do');
  await plan('snapshot', {});
  expect(sandbox.requests.all()).toEqual([]);
  expect(await watermark.watermarkOf(job, context)).toBeUndefined();
  await run('snapshot', {}, { slot: unixMillis(now - hour) });
  expect(await watermark.watermarkOf(job, context)).toBe(now);
});

describe.each(everyVariant.filter(([name]) => name.startsWith('page_')))(
  'a paginated key list with %s=%s',
  (name, value) => {
    it('contains every key once, although keys are added and removed between the pages', async () => {
      await using fixture = await openJobFixture({ variants: switched(name, value) });
      const { gateway, run } = fixture;
      await makeKeys(fixture, 215);
      await run('snapshot', {});
      expect(await idsIn(fixture)).toEqual(idsThere(fixture));
      const [oldest = 0, ...others] = idsThere(fixture);
      const doomed = [oldest, others.at(-1) ?? 0, others.at(-120) ?? 0];
      const happens = new Map<number, () => Promise<unknown>>([
        [2, async () => Promise.all([gateway.deleteKey(doomed[1] ?? 0), gateway.createKey(spec)])],
        [3, async () => Promise.all([gateway.deleteKey(doomed[0] ?? 0), gateway.createKey(spec)])],
        [5, async () => gateway.deleteKey(doomed[2] ?? 0)],
      ]);
      await using meddler = withMeddler(fixture, async (page) => happens.get(page)?.());
      fixture.clock.advance(hour);
      const { summary } = await run('snapshot', {}, meddler.change);
      expect(await idsIn(fixture)).toEqual(idsThere(fixture));
      expect(meddler.pages()).toBeGreaterThan(3);
      expect(summary).toMatch(/2 new, 3 gone/);
    });
  },
);

it('a key list that keeps changing is an error: the profile is stored, but no keys', async () => {
  await using fixture = await openJobFixture();
  const { gateway, context, run, clock } = fixture;
  const { snapshots } = context.warehouse;
  await makeKeys(fixture, 120);
  await run('snapshot', {});
  const known = await inventory(fixture);
  await using meddler = withMeddler(fixture, async () => gateway.createKey(spec));
  clock.advance(hour);
  await expect(run('snapshot', {}, meddler.change)).rejects.toMatchObject({
    code: 'gateway-keys-unsettled',
    retryHelps: true,
  });
  expect(await inventory(fixture)).toEqual(known);
  expect(await snapshots.changes('main', unixMillis(0), unixMillis(now + 9 * hour))).toEqual([]);
  expect((await snapshots.latestAccount('main'))?.takenAt).toBe(now + hour);
  expect((await run('snapshot', {})).summary).toMatch(/keys; \d+ new$/);
});

it('a stopped snapshot run stores nothing, and reports why it was stopped', async () => {
  await using fixture = await openJobFixture();
  const stopped = new Error('told to stop');
  const stop = new AbortController();
  await using meddler = withMeddler(fixture, async () => stop.abort(stopped));
  await expect(fixture.run('snapshot', {}, { ...meddler.change, signal: stop.signal })).rejects.toBe(stopped);
  expect(await fixture.context.warehouse.snapshots.watermark('main')).toBeUndefined();
});

it.each([
  ['/api/user/self', 'profile'],
  ['/api/token/', 'keys'],
  ['/api/log/self/stat', 'statistics'],
])(
  'when %s fails, the snapshot run fails, can be retried, and has stored everything but the %s',
  async (path, part) => {
    await using fixture = await openJobFixture();
    const { sandbox, context, run } = fixture;
    sandbox.faults.plant({ kind: 'status', status: 503, path, times: 99 });
    await expect(run('snapshot', {})).rejects.toMatchObject({
      code: 'gateway-server-error',
      retryHelps: true,
    });
    const { snapshots } = context.warehouse;
    const at = unixMillis((await snapshots.watermark('main')) ?? 0);
    const kept = {
      profile: (await snapshots.latestAccount('main')) !== undefined,
      keys: (await snapshots.inventoryAt('main', at)) !== undefined,
      statistics: (await snapshots.statisticsBetween('main', at, unixMillis(at + 1))).length > 0,
    };
    expect(kept).toEqual({ profile: true, keys: true, statistics: true, [part]: false });
  },
);

const forms = variantTable.authentication_errors.values.flatMap((errors) =>
  variantTable.authentication_code.values.map((code) => [errors, code] as const),
);
const scopes = ['account:read', 'logs:read', 'keys:read'] as const;
const parts = { 'account:read': 'profile', 'logs:read': 'statistics', 'keys:read': 'keys' } as const;

describe.each(forms)('an Admin Key without a scope, refused by %s with its code %s,', (errors, code) => {
  const open = (given: NonNullable<SandboxOptions['adminKeys']>[number]['scopes']) =>
    openJobFixture({
      variants: { authentication_errors: errors, authentication_code: code },
      adminKeys: [{ key: 'sk-admin-some-scopes-alone', scopes: given }],
    });

  it.each(scopes)(
    'still takes a snapshot of what it may read, without %s, and reports it',
    async (missing) => {
      await using fixture = await open(scopes.filter((scope) => scope !== missing));
      const warned: (LogFields | undefined)[] = [];
      const log = { ...silentLog, warn: (_: string, fields?: LogFields) => void warned.push(fields) };
      const { summary, figures } = await fixture.run('snapshot', {}, { log });
      expect(summary).toContain(`; ${parts[missing]} not read: `);
      expect(summary).toContain(missing);
      expect(summary.match(/not read/g)).toHaveLength(1);
      expect(warned).toHaveLength(1);
      expect(figures['keys']).toBe(missing === 'keys:read' ? undefined : idsThere(fixture).length);
      const { snapshots } = fixture.context.warehouse;
      expect((await snapshots.latestAccount('main')) === undefined).toBe(missing === 'account:read');
      expect((await inventory(fixture)) === undefined).toBe(missing === 'keys:read');
    },
  );

  it('fails and stores nothing if it has none of the scopes', async () => {
    await using fixture = await open(['usage:read']);
    const failed: unknown = await fixture.run('snapshot', {}).catch((error: unknown) => error);
    expect(failed).toMatchObject({ name: 'Fault', exitCode: 1 });
    expect(await fixture.context.warehouse.snapshots.watermark('main')).toBeUndefined();
  });
});
