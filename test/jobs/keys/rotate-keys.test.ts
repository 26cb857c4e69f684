import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fault, unixMillis } from '../../../src/core/index.ts';
import { commonName } from '../../../src/jobs/rotate-keys/name-patterns.ts';
import { rotateShape } from '../../../src/jobs/rotate-keys/rotate-shape.ts';
import { fitsPattern } from '../../../src/keys/index.ts';
import { surveyed } from '../../keys/plan/survey.ts';
import { approved, mailText, titled } from '../../support/approved.ts';
import { openKeyFixture, viewOf, type KeyFixture } from './key-fixture.ts';

const applied = {
  keys: { name: '*' },
  every: '30d',
  overlap: '48h',
  mode: 'apply',
  deliver: [{ file: { path: '/s/{service}.env', variable: 'KEY' } }],
  verify: { embeddings: { model: 'm' } },
  limits: { max_per_run: 2 },
};
const { deliver: _deliver, verify: _verify, ...rest } = applied;
const planned = { ...rest, mode: 'plan' };

describe('rotate-keys', () => {
  let fixture: KeyFixture;
  beforeAll(async () => {
    fixture = await openKeyFixture('rotate');
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    const { keyService } = fixture;
    keyService.asked.length = 0;
    keyService.started.length = 0;
    keyService.who.length = 0;
    keyService.fails.clear();
    keyService.open = [];
    keyService.keys = [
      surveyed('billing.g7', { id: 7, age: 60 }),
      surveyed('search.g2', { id: 2, age: 45 }),
      surveyed('late.g1', { id: 3, age: 31 }),
      surveyed('young.g1', { id: 4, age: 3 }),
      surveyed('off.g1', { id: 5, key: { status: 2 } }),
    ];
  });

  it('verifies a new key by the one call of its settings', () => {
    const verifyOf = (verify: object) => rotateShape.parse({ ...applied, verify }).verify;
    expect(verifyOf({ embeddings: { model: 'm' } })).toEqual({ kind: 'embeddings', model: 'm' });
    expect(verifyOf({ messages: { model: 'n' } })).toEqual({ kind: 'messages', model: 'n' });
  });

  it('plans by default: it changes nothing and mails the plan once per slot', async () => {
    const { sandbox, run, change, keyService, mails } = fixture;
    const { mode: _mode, ...byDefault } = planned;
    const writes = sandbox.requests.writes();
    const slot = unixMillis(Date.UTC(2026, 10, 21, 3));
    const outcome = await run('rotate-keys', byDefault, { ...change, slot });
    expect(outcome.figures).toEqual({ mode: 'plan', selected: 5, planned: 2, skipped: 2, notified: 1 });
    await run('rotate-keys', byDefault, { ...change, slot });
    expect([keyService.asked, sandbox.requests.writes()]).toEqual([['survey', 'survey'], writes]);
    const found = await mails();
    expect(found).toHaveLength(1);
    expect(found[0]?.to).toBe('ops@example.com');
    expect(mailText(found[0] ?? {})).toMatch(/2 keys would be rotated, 2 skipped\n.*billing\.g7.*off\.g1/s);
  });

  it('only reads the key list in plan mode', async () => {
    const { sandbox, run, plan, change, keyService } = fixture;
    delete keyService.keys;
    const before = sandbox.requests.all().length;
    await run('rotate-keys', { ...planned, every: '1h', overlap: '30m' }, change);
    await plan('rotate-keys', { ...applied, every: '1h', overlap: '30m' }, change);
    expect(sandbox.requests.all().length).toBeGreaterThan(before);
    expect([sandbox.requests.writes(), keyService.started]).toEqual([0, []]);
  });

  it('mails the configured recipients, and sends no mail without a planned change', async () => {
    const { run, change, keyService, mails } = fixture;
    const before = (await mails()).length;
    const mail = { to: ['a@example.com', 'b@example.com'] };
    await run('rotate-keys', { ...planned, mail }, { ...change, slot: unixMillis(1) });
    expect((await mails()).length).toBe(before + 2);
    keyService.keys = [surveyed('young.g1', { age: 3 })];
    const quiet = await run('rotate-keys', planned, { ...change, slot: unixMillis(2) });
    expect(quiet.figures).toMatchObject({ planned: 0, notified: 0 });
    expect((await mails()).length).toBe(before + 2);
  });

  it('mails the plan, and that a key has to be renamed, in the language of mails', async () => {
    const { run, change, keyService, mails } = fixture;
    const inGerman = { ...change, locale: 'de' as const };
    const before = (await mails()).length;
    await run('rotate-keys', planned, { ...inGerman, slot: unixMillis(3) });
    const long = 'a-service-with-a-name-of-fifty-bytes-in-its-keys';
    keyService.keys = [surveyed(`${long}.g1`, { id: 8, age: 60 })];
    await run('rotate-keys', applied, inGerman);
    const [plan, blocked] = (await mails()).slice(before);
    expect(plan?.subject).toContain('2 Keys zu rotieren, 2 übersprungen');
    expect(blocked?.subject).toContain(`Der Key ${long}.g1 kann`);
  });

  it('states what it would do in a dry run, with open rotations first, and what it did', async () => {
    const { run, plan, change, keyService } = fixture;
    const planMode = await run('rotate-keys', planned, { ...change, slot: unixMillis(4) });
    const unsent = await run('rotate-keys', planned, { ...change, mail: undefined });
    keyService.asked.length = 0;
    keyService.open = [viewOf('billing', 'current')];
    const dryRun = await plan('rotate-keys', applied, change);
    expect(keyService.asked).toEqual(['survey']);
    keyService.open = [viewOf('mail', 'retiring'), viewOf('chat', 'created'), viewOf('stuck', 'waiting')];
    const done = await run('rotate-keys', applied, change);
    keyService.open = [];
    keyService.keys = [surveyed('young.g1', { age: 3 })];
    const quiet = await run('rotate-keys', planned, change);
    const nothing = await run('rotate-keys', applied, change);
    keyService.keys = [];
    const unselected = await plan('rotate-keys', applied, change);
    const texts = titled([
      ['plan mode', planMode.summary],
      ['plan mode without mail', unsent.summary],
      ['dry run', dryRun.join('\n')],
      ['apply mode', done.summary],
      ['plan mode, no key is due', quiet.summary],
      ['apply mode, no key is due', nothing.summary],
      ['dry run, no key is selected', unselected.join('\n')],
    ]);
    await expect(texts).toMatchFileSnapshot(approved('jobs/rotate-keys'));
  });

  it('advances open rotations before it starts due ones', async () => {
    const { run, change, keyService, mails } = fixture;
    const before = (await mails()).length;
    keyService.open = [viewOf('mail', 'retiring'), viewOf('chat', 'created'), viewOf('stuck', 'waiting')];
    const outcome = await run('rotate-keys', applied, change);
    expect(keyService.asked).toEqual([
      'advance all',
      'survey',
      'start billing search',
      'advance r-billing r-search',
    ]);
    expect(keyService.who).toEqual(['job rotate']);
    expect(keyService.started[0]).toEqual({
      service: 'billing',
      why: 'age',
      terms: {
        job: 'rotate',
        template: '{service}.g{generation}-{random}',
        overlap: 172_800_000,
        quota: { kind: 'carry' },
        retire: { when: 'unused', quiet: 86_400_000, ending: 'delete' },
        tries: 5,
      },
      old: {
        keyId: 7,
        generation: 7,
        name: 'billing.g7',
        remainQuota: '5',
        unlimitedQuota: false,
        born: expect.any(Number) as number,
      },
    });
    expect(outcome.figures).toEqual({
      mode: 'apply',
      selected: 5,
      planned: 2,
      skipped: 2,
      begun: 2,
      moved: 2,
      done: 1,
      waiting: 1,
    });
    expect((await mails()).length).toBe(before);
  });

  it('deletes orphans even if no rotation is due', async () => {
    const { run, change, keyService } = fixture;
    keyService.keys = [surveyed('young.g1', { age: 3 })];
    await run('rotate-keys', applied, change);
    expect(keyService.asked).toEqual(['advance all', 'survey']);
  });

  it('fails after a failed step, but only after all rotations were tried, and names each service', async () => {
    const { run, change, keyService } = fixture;
    keyService.open = [viewOf('chat', 'created')];
    keyService.fails.set('chat', fault('key-verify-refused', 'the key is refused'));
    keyService.fails.set('search', fault('gateway-timeout', 'no answer'));
    await expect(run('rotate-keys', applied, change)).rejects.toMatchObject({
      code: 'key-verify-refused',
      message: expect.stringMatching(/^chat: .*refused; search: no answer$/) as string,
      retryHelps: false,
    });
    expect(keyService.asked.at(-1)).toBe('advance r-billing r-search');
    expect(keyService.open.find(({ service }) => service === 'billing')?.stage).toBe('current');
  });

  it('rotates nothing in a backfill', async () => {
    const { run, plan, change, keyService } = fixture;
    const past = { ...change, trigger: 'backfill' as const };
    expect((await run('rotate-keys', applied, past)).summary).toContain('nothing to do');
    expect(await plan('rotate-keys', applied, past)).toEqual([expect.stringMatching(/^nothing: /)]);
    expect(keyService.asked).toEqual([]);
  });

  it('selects keys by the teams of the config', async () => {
    const { run, change, keyService } = fixture;
    const teams = [{ name: 'growth', keys: ['sea*'], mail: [] }];
    const costOwners = { teams, prices: [], operators: [] };
    await run('rotate-keys', { ...applied, keys: { team: 'growth' } }, { ...change, costOwners });
    expect(keyService.started.map(({ service }) => service)).toEqual(['search']);
  });
});

it('a common name matches both patterns, and is found whenever one exists', () => {
  const pattern = fc.stringMatching(/^[ab*]{0,6}$/);
  fc.assert(
    fc.property(pattern, pattern, fc.stringMatching(/^[ab]{0,6}$/), (left, right, name) => {
      const found = commonName(left, right);
      if (found !== undefined)
        expect([fitsPattern(left, found), fitsPattern(right, found)]).toEqual([true, true]);
      if (fitsPattern(left, name) && fitsPattern(right, name)) expect(found).toBeDefined();
    }),
  );
});
