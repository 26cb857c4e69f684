import { describe, expect, it } from 'vitest';
import { fault, money, noProgress, unixMillis } from '../../../src/core/index.ts';
import type { RotationView } from '../../../src/keys/index.ts';
import {
  fakeKeyService,
  keyFixture,
  now,
  compromisePlanned,
  plannedExpiry,
  plannedRotation,
  surveyed,
  type FakeKeyService,
} from '../support/fake-key-service.ts';
import { createKeyHandlers } from '../../../src/app/control/keys/handlers.ts';

const never = new AbortController().signal;
const quiet = { progress: noProgress, signal: never };
const who = 'person anna';
const day = 86_400_000;

const viewOf = (service: string): RotationView => ({
  id: `r-${service}`,
  account: 'main',
  service,
  stage: 'creating',
  since: now,
  message: 'the successor is being created',
  tries: 0,
});

const oneAccount = (...keys: ReturnType<typeof surveyed>[]) => {
  const main = fakeKeyService('main', keys);
  return { main, ...keyFixture({ main }) };
};

type Commands = ReturnType<typeof createKeyHandlers>;
const rotate = (keys: Commands, key: string, now = false) => keys['keys/rotate']({ key, now, who }, quiet);
const rotateNow = (keys: Commands, key: string) => rotate(keys, key, true);
const apply = (keys: Commands, file = '') => keys['keys/apply']({ file, who }, quiet);

describe('a key given by a person', () => {
  const keys = [
    surveyed(1, 'billing', { known: true }),
    surveyed(2, 'billing.g2'),
    surveyed(3, 'batch.g1'),
    surveyed(4, 'batch.g4'),
    surveyed(5, 'twin'),
    surveyed(6, 'twin'),
    surveyed(7, '3'),
  ];
  it.each([
    ['batch.g4', 4],
    ['batch.g1', 3],
    ['billing.g2', 2],
    ['id:1', 1],
    ['5', 5],
    ['id:3', 3],
  ])('%s is the key %i', async (named, id) => {
    const { keys: commands } = oneAccount(...keys);
    const { keys: found } = await commands['keys/list']({ key: named, days: 30 }, quiet);
    expect(found.map(({ keyId }) => keyId)).toEqual([id]);
  });
  it.each([
    ['twin', /id:5 \(twin\), id:6 \(twin\)$/],
    ['3', /id:3 \(batch\.g1\), id:7 \(3\)$/],
    ['nobody', /matches nobody$/],
  ])('%s is rejected with the matching ids', async (named, message) => {
    const { keys: commands, main } = oneAccount(...keys);
    await expect(commands['keys/rotate']({ key: named, now: false, who }, quiet)).rejects.toMatchObject({
      code: 'wrong-use',
      message: expect.stringMatching(message) as string,
    });
    expect(main.asked).toEqual([]);
  });
  it.each([
    ['billing', [1, 2]],
    ['batch', [3, 4]],
    ['twin', [5, 6]],
  ])('%s is a service, and all its generations are listed', async (named, ids) => {
    const { keys: commands, main } = oneAccount(...keys);
    main.rotations = ['billing', 'batch', 'twin'].map((service) => ({ ...viewOf(service), service }));
    const { keys: found, rotations } = await commands['keys/list']({ key: named, days: 30 }, quiet);
    expect(found.map(({ keyId }) => keyId)).toEqual(ids);
    expect(rotations.map(({ service }) => service)).toEqual([named]);
  });
  it('may be a service with an open rotation and no key yet', async () => {
    const { keys: commands, main } = oneAccount();
    main.rotations = [viewOf('fresh')];
    const list = await commands['keys/list']({ key: 'fresh', days: 30 }, quiet);
    expect([list.keys, list.rotations.map(({ service }) => service)]).toEqual([[], ['fresh']]);
  });
  const growth = (generation: number, change: object = {}, key: object = {}) =>
    surveyed(generation, `growth.g${generation}`, { known: true, service: 'growth', ...change }, key);
  const off = { status: 2 };
  it.each([
    [
      'the newest, though the first is called like the service',
      2,
      [surveyed(1, 'growth', { known: true }), growth(2)],
    ],
    ['the newest that works', 1, [growth(1), growth(2, {}, off)]],
    ['the newest that has not left the line', 1, [growth(1), growth(2, { retired: true })]],
    [
      'the newest that every sink held',
      1,
      [growth(1, { split: true }), growth(2, { split: true, unfinished: true })],
    ],
    ['one that we know before one that is only called so', 1, [growth(1), growth(9, { known: false })]],
    ['the newest where none works', 2, [growth(1, {}, off), growth(2, {}, off)]],
  ] as const)('that is a service is %s', async (_, id, line) => {
    const { keys: commands, main } = oneAccount(...line);
    await commands['keys/expire']({ key: 'growth', who, evenIfCurrent: true }, quiet);
    expect(main.asked).toMatchObject([['expire', [{ keyId: id }], who]]);
  });
  it('is searched in every account, and rejected when two accounts have it', async () => {
    const [main, other] = [
      fakeKeyService('main', [surveyed(1, 'billing.g1')]),
      fakeKeyService('other', [surveyed(1, 'billing.g1')]),
    ];
    const { keys: commands } = keyFixture({ main, other });
    const request = { key: 'billing', who, evenIfCurrent: true };
    await expect(commands['keys/expire'](request, quiet)).rejects.toThrow(
      /several keys: id:1 \(billing\.g1, account main\), id:1 \(.*, account other\)$/,
    );
    await commands['keys/expire']({ ...request, account: 'other' }, quiet);
    expect([main.asked.length, other.asked.length]).toEqual([0, 1]);
    await expect(commands['keys/expire']({ ...request, account: 'third' }, quiet)).rejects.toThrow(
      'declared accounts: main, other',
    );
    const { keys: withoutAccounts } = keyFixture({});
    await expect(withoutAccounts['keys/expire'](request, quiet)).rejects.toThrow('no account is declared');
  });
});

const cutOver = (main: FakeKeyService, candidate: { keyId: number; name: string }): void => {
  main.rotations = main.rotations.map((view) => ({ ...view, stage: 'current', cutOver: true, candidate }));
};

describe('a manual rotation', () => {
  it('uses the settings of the job that covers the key, and advances until idle', async () => {
    const { main, keys } = oneAccount(surveyed(1, 'billing.g7'));
    main.steps = [
      { view: { stage: 'verified' }, moved: true },
      { view: { stage: 'current', message: 'both keys work until 2026-11-23' }, moved: true },
      { view: {}, moved: false },
    ];
    const seen: unknown[] = [];
    const outcome = await keys['keys/rotate'](
      { key: 'billing', now: false, who },
      { progress: (step) => seen.push(step.detail), signal: never },
    );
    expect(outcome).toMatchObject({
      good: true,
      rotations: [{ stage: 'current', message: 'both keys work until 2026-11-23', old: { keyId: 1 } }],
    });
    expect(seen).toEqual([
      'verified',
      'it is planned',
      'current',
      'both keys work until 2026-11-23',
      'current',
    ]);
    const terms = { job: 'rotate-prod', overlap: 2 * day };
    const planned = { service: 'billing', why: 'hand', terms, old: { keyId: 1, generation: 7 } };
    expect(main.asked).toMatchObject([['start', [planned], who]]);
  });

  it('of a compromised key leaves no overlap and needs no evidence', async () => {
    const { main, keys } = oneAccount(surveyed(1, 'billing.g7', {}, { status: 2 }));
    await rotateNow(keys, 'billing');
    expect(main.asked).toMatchObject([
      ['start', [{ why: 'leak', terms: { overlap: 0, retire: { when: 'now', ending: 'delete' } } }], who],
    ]);
  });

  it.each(['retired', 'revived'])(
    'of a compromised key works although it left its generations: %s',
    async (reason) => {
      const { main, keys } = oneAccount(surveyed(1, `batch-${reason}`, { retired: true }));
      await rotateNow(keys, '1');
      expect(main.asked).toMatchObject([['start', [{ why: 'leak', old: { keyId: 1 } }], who]]);
      main.rotations = [];
      await expect(rotate(keys, '1')).rejects.toThrow('has left its line');
    },
  );

  it('resumes an open rotation instead of starting one, but does not wait for a regular rotation when the key is compromised', async () => {
    const { main, keys } = oneAccount(surveyed(1, 'billing.g7'));
    await main.start([plannedRotation(surveyed(1, 'billing.g7'))], 'job rotate-prod');
    main.asked.length = 0;
    expect(await rotate(keys, '1')).toMatchObject({ rotations: [{ id: 'r1' }] });
    await expect(rotateNow(keys, 'billing')).rejects.toMatchObject({
      message: expect.stringContaining('does not replace') as string,
      advice: expect.stringContaining('keys give-up billing') as string,
    });
    main.events = [compromisePlanned('main', 'billing')];
    expect((await rotateNow(keys, 'billing')).good).toBe(true);
    expect(main.asked).toEqual([]);
  });

  it('of a compromised key expires it at once when its successor is in use, and starts again when the successor leaked', async () => {
    const [old, fresh] = [surveyed(1, 'billing.g7'), surveyed(2, 'billing.g8')];
    const { main, keys } = oneAccount(old, fresh);
    await main.start([plannedRotation(old)], 'job rotate-prod');
    cutOver(main, { keyId: 2, name: 'billing.g8' });
    main.asked.length = 0;
    const ended = await rotateNow(keys, 'billing.g7');
    expect(ended).toMatchObject({
      good: true,
      rotations: [{ id: 'r1' }],
      changes: [{ keyId: 1, done: true }],
    });
    // Here the key service lets no second one begin, and says so.
    const begun = await rotateNow(keys, 'billing');
    expect(begun).toMatchObject({ good: false, notes: [expect.stringContaining('in progress (r1)')] });
    expect(main.asked).toMatchObject([
      ['expire', [{ keyId: 1, action: { kind: 'delete' } }], who],
      ['start', [{ why: 'leak', old: { keyId: 2 } }], who],
    ]);
  });

  it('of a compromised key handles the given key while the rotation for another one is open', async () => {
    const line = [surveyed(1, 'billing.g6'), surveyed(2, 'billing.g7'), surveyed(3, 'billing.g8')] as const;
    const { main, keys } = oneAccount(...line);
    await main.start([plannedRotation(line[1])], who);
    cutOver(main, { keyId: 3, name: 'billing.g8' });
    main.events = [compromisePlanned('main', 'billing')];
    main.asked.length = 0;
    await rotateNow(keys, 'billing.g6');
    await rotateNow(keys, 'billing.g8');
    expect(main.asked).toMatchObject([
      ['expire', [{ keyId: 1, action: { kind: 'delete' } }], who],
      ['start', [{ why: 'leak', old: { keyId: 3 } }], who],
    ]);
    main.asked.length = 0;
    // Said again of the service, it is the leak that is seen to.
    expect((await rotateNow(keys, 'billing')).good).toBe(true);
    expect(main.asked).toEqual([]);
    main.rotations = main.rotations.map((view) => ({ ...view, stage: 'created', cutOver: false }));
    const early = await rotateNow(keys, 'billing.g6');
    expect(early).toMatchObject({ good: false, notes: [expect.stringContaining('is not ended yet')] });
  });

  it('of a compromised key completes although other valid keys cannot be determined afterwards', async () => {
    const { main } = oneAccount(surveyed(1, 'billing.g7'));
    let asked = 0;
    const survey: typeof main.survey = async (signal) => {
      asked += 1;
      if (asked > 1) throw fault('gateway-unreachable', 'no way there');
      return main.survey(signal);
    };
    const { keys } = keyFixture({ main: { ...main, survey } });
    const outcome = await rotateNow(keys, 'billing');
    expect(outcome).toMatchObject({
      good: true,
      notes: [expect.stringMatching(/keys of billing .*\(no way there\)/)],
    });
  });

  it('of a compromised key starts again when its successor fails verification, and deletes nothing before', async () => {
    const [old, fresh] = [surveyed(1, 'billing.g7'), surveyed(2, 'billing.g8', {}, { status: 2 })];
    const { main, keys } = oneAccount(old, fresh);
    await main.start([plannedRotation(old)], 'job rotate-prod');
    cutOver(main, { keyId: 2, name: 'billing.g8' });
    main.asked.length = 0;
    await rotateNow(keys, 'billing');
    expect(main.asked).toMatchObject([['start', [{ why: 'leak', old: { keyId: 1 } }], who]]);
  });

  it('stops at a failed step with the old key unchanged', async () => {
    const { main, keys } = oneAccount(surveyed(1, 'billing.g7'));
    const broken = fault('gateway-unreachable', 'connection refused');
    main.steps = [{ view: { stage: 'planned', tries: 1 }, moved: true, fault: broken }];
    const outcome = await rotate(keys, 'billing');
    expect(outcome).toMatchObject({
      good: false,
      rotations: [
        { fault: { code: 'gateway-unreachable', message: 'connection refused', advice: broken.advice } },
      ],
    });
  });

  it.each([
    ['growth', {}, /no rotate-keys job covers growth\.g1/],
    ['growth', { job: 'expire-old' }, /does not rotate keys/],
    ['growth', { job: 'spent' }, /no job spent .*declared: rotate-prod, expire-old/],
    ['shared', { job: 'rotate-prod' }, /of shared: .* the key of billing/],
    ['shared', { job: 'rotate-prod', now: true }, /overwrite the key of billing/],
    ['dead', { job: 'rotate-prod' }, /dead\.g1 \(id 3\) .* disabled/],
  ])('reject %s with %j', async (key, more, message) => {
    const { main, keys } = oneAccount(
      surveyed(2, 'growth.g1'),
      surveyed(3, 'dead.g1', {}, { status: 2 }),
      surveyed(4, 'shared.g1'),
    );
    await expect(keys['keys/rotate']({ key, now: false, who, ...more }, quiet)).rejects.toThrow(message);
    expect(main.asked).toEqual([]);
  });
});

describe('the other key commands', () => {
  it('expire a key now or later, and report a failure', async () => {
    const { main, keys } = oneAccount(surveyed(1, 'growth.g7'), surveyed(13, 'unlucky'));
    expect(await keys['keys/expire']({ key: 'growth', at: '+48h', who }, quiet)).toMatchObject({
      good: true,
    });
    expect(await keys['keys/expire']({ key: 'unlucky', who }, quiet)).toMatchObject({
      good: false,
      changes: [{ keyId: 13, done: false, message: 'message of unlucky' }],
    });
    expect(main.asked).toMatchObject([
      ['expire', [{ keyId: 1, action: { kind: 'expire', in: 2 * day } }], who],
      ['expire', [{ keyId: 13, action: { kind: 'expire', in: 0 } }], who],
    ]);
    for (const at of ['soon', '2026-11-20'])
      await expect(keys['keys/expire']({ key: 'growth', at, who }, quiet)).rejects.toMatchObject({
        exitCode: 2,
      });
  });

  const split = { split: true };
  const unfinished = { split: true, unfinished: true };
  const part = (one: 'old' | 'leaving' | 'successor') => ({
    rotation: { id: 'r1', stage: 'delivering' as const, part: one },
  });
  it.each([
    ['the newest that works', [surveyed(1, 'billing.g7'), surveyed(2, 'billing.g8', {}, { status: 2 })]],
    ['what is to be replaced', [surveyed(1, 'growth.g7', part('old')), surveyed(2, 'growth.g8')]],
    ['the successor', [surveyed(1, 'growth.g7', part('successor')), surveyed(2, 'growth.g8')]],
    ['what a sink may hold', [surveyed(1, 'billing.g7', unfinished), surveyed(2, 'billing.g6', split)]],
    ['what some sinks still hold', [surveyed(1, 'billing.g7', split), surveyed(2, 'billing.g8', unfinished)]],
  ])('reject expiring a key that sinks contain, unless confirmed: %s', async (_, line) => {
    const { main, keys } = oneAccount(...line);
    const { service = '' } = line[0] ?? {};
    const request = { key: 'id:1', at: '+48h', who };
    await expect(keys['keys/expire'](request, quiet)).rejects.toMatchObject({
      code: 'wrong-use',
      exitCode: 2,
      message: expect.stringContaining(`${service}.g7 (id 1) is the current key`) as string,
      advice: expect.stringMatching(new RegExp(`keys rotate ${service} --now.*--even-if-current`)) as string,
    });
    expect(main.asked).toEqual([]);
    await keys['keys/expire']({ ...request, evenIfCurrent: true }, quiet);
    expect(main.asked).toMatchObject([['expire', [{ keyId: 1, evenIfCurrent: true }], who]]);
  });

  it('report the sinks that contain an expired key, as far as recorded', async () => {
    const { main, keys } = oneAccount(surveyed(1, 'billing.g7'));
    const request = { key: 'billing', who };
    const refused = (holders: string) => expect(keys['keys/expire'](request, quiet)).rejects.toThrow(holders);
    await refused('the job rotate-prod delivers it');
    const common = { at: now, who, account: 'main', service: 'billing', rotation: 'r0' };
    const key = { keyId: 1, generation: 7, name: 'billing.g7' };
    main.events = [
      { ...common, ...key, what: 'delivering', place: 'file:/run/one' },
      { ...common, ...key, what: 'delivering', place: 'file:/run/two' },
    ];
    await refused('file:/run/one and file:/run/two may hold it');
    main.events.push({ ...common, ...key, what: 'read-back', places: ['file:/run/one', 'file:/run/two'] });
    await refused('file:/run/one and file:/run/two hold it');
  });

  it.each([
    ['an older one of a service', [surveyed(1, 'billing.g7'), surveyed(2, 'billing.g8')]],
    ['one that is leaving', [surveyed(1, 'billing.g7', part('leaving')), surveyed(2, 'billing.g8')]],
    [
      'one that only its name puts into a line',
      [surveyed(1, 'billing.g9', { known: false }), surveyed(2, 'billing.g8')],
    ],
    ['one that nobody can use', [surveyed(1, 'billing.g7', {}, { status: 2 })]],
    ['one that no job delivers', [surveyed(1, 'growth.g7')]],
  ])('expire %s', async (_, line) => {
    const { main, keys } = oneAccount(...line);
    await keys['keys/expire']({ key: 'id:1', who }, quiet);
    expect(main.asked).toMatchObject([['expire', [{ keyId: 1 }], who]]);
  });

  it('create only the first key of a service, through the steps of a rotation', async () => {
    const { main, keys } = oneAccount(surveyed(1, 'billing.g7'));
    const given = { quota: '500', expires: '+90d', group: 'vip' };
    const request = { service: 'batch', job: 'rotate-prod', ...given, who };
    await keys['keys/create'](request, quiet);
    const fresh = { remainQuota: '500', unlimitedQuota: false, group: 'vip' };
    const expiredTime = (now + 90 * day) / 1000;
    const planned = { service: 'batch', why: 'new', fresh: { ...fresh, expiredTime } };
    expect(main.asked).toMatchObject([['start', [planned], who]]);
    main.asked.length = 0;
    for (const [change, message] of [
      [{ service: 'billing' }, /billing has billing\.g7 already/],
      [{ service: 'x'.repeat(41) }, /too long/],
      [{ service: 'shared' }, /does not select shared\.g1/],
      [{ service: 'beyond' }, /overwrite the key of billing/],
      [{ quota: '-3' }, /not a valid quota/],
      [{ quota: '0' }, /not a valid quota/],
      [{ quota: 'much' }, /not a valid quota/],
      [{ job: 'expire-old' }, /does not rotate keys/],
      [{ account: 'other' }, /belongs to account main/],
    ] as const)
      await expect(keys['keys/create']({ ...request, service: 'new', ...change }, quiet)).rejects.toThrow(
        message,
      );
    expect(main.asked).toEqual([]);
  });

  it('adopt, confirm, resume and give-up call the key service of the account', async () => {
    const [main, other] = [fakeKeyService('main', []), fakeKeyService('other', [surveyed(9, 'legacy')])];
    const { keys } = keyFixture({ main, other });
    const adopted = { key: 'legacy', service: 'billing', generation: 3, move: true, who };
    const { message } = await keys['keys/adopt'](adopted, { signal: never });
    expect(message).toMatch(/\(id 9\) is generation 3 of billing$/);
    await expect(keys['keys/resume']({ service: 'billing', who }, quiet)).rejects.toThrow('in any account');
    await other.start([plannedRotation(surveyed(9, 'billing.g3'))], who);
    expect(await keys['keys/resume']({ service: 'billing', who }, quiet)).toMatchObject({
      good: true,
      notes: ['it goes on'],
    });
    await keys['keys/confirm']({ service: 'billing', fingerprint: 'ab', who });
    await keys['keys/give-up']({ service: 'billing', who }, { signal: never });
    await keys['keys/give-up']({ service: 'billing', who, forgetPlaces: true }, { signal: never });
    const kept = { keyId: 9, service: 'billing', generation: 3, move: true };
    expect(other.asked[0]).toEqual(['adopt', kept, who]);
    const names = ['adopt', 'start', 'resume', 'confirm', 'give-up', 'forget-places'];
    expect(other.asked.map((one) => (one as string[])[0])).toEqual(names);
    expect(main.asked).toEqual([]);
  });
});

describe('plans', () => {
  const plannedToExpire = async () => {
    const { main, keys, plans } = oneAccount(surveyed(2, 'old'));
    plans['expire-old'] = { expiries: [plannedExpiry(2, 'old')] };
    const file = (await keys['keys/plan']({ job: 'expire-old' }, { signal: never }))[0]?.file ?? '';
    return { main, keys, plans, file };
  };

  it('are written, read and applied while nothing changed', async () => {
    const key = surveyed(1, 'billing.g7');
    const { main, keys, plans } = oneAccount(key, surveyed(2, 'old'));
    plans['rotate-prod'] = { rotations: [plannedRotation(key)], notes: ['batch.g1 is too young'] };
    plans['expire-old'] = { expiries: [plannedExpiry(2, 'old')] };
    const [rotate, expire] = await keys['keys/plan']({}, { signal: never });
    expect([rotate?.changes, rotate?.notes, expire?.changes]).toMatchObject([
      [{ what: 'rotate', service: 'billing', name: 'billing.g7' }],
      ['batch.g1 is too young'],
      [{ what: 'delete', keyId: 2 }],
    ]);
    expect(main.asked).toEqual([]);
    const file = rotate?.file ?? '';
    // What a key has left changes with each call, and is carried on as it is then.
    main.keys = [surveyed(1, 'billing.g7', {}, { remainQuota: '9' as never }), surveyed(2, 'old')];
    expect((await keys['keys/check-plan']({ file }, { signal: never })).stale).toEqual([]);
    expect(await apply(keys, file)).toMatchObject({ good: true });
    expect(main.asked).toMatchObject([['start', [{ old: { keyId: 1, remainQuota: '9' } }], who]]);
    expect(await apply(keys, expire?.file)).toMatchObject({
      good: true,
      changes: [{ keyId: 2, done: true }],
    });
  });

  it('that are stale report what changed and do nothing', async () => {
    const key = surveyed(1, 'billing.g7');
    const { main, keys, plans } = oneAccount(key);
    plans['rotate-prod'] = { rotations: [plannedRotation(key)] };
    const [plan] = await keys['keys/plan']({ job: 'rotate-prod' }, { signal: never });
    main.keys = [surveyed(2, 'billing.g8')];
    const outcome = await apply(keys, plan?.file);
    expect(outcome).toMatchObject({ good: false, rotations: [] });
    expect(outcome.stale?.join()).toMatch(
      /billing\.g7 \(id 1\) no longer exists.*billing\.g8 \(id 2\) is new/,
    );
    expect(main.asked).toEqual([]);
  });

  const idle = { keyId: 2, name: 'idle' };
  it.each([
    [{ skipped: [{ ...idle, reason: 'used', message: 'it is in use' }] }, /: it is in use$/],
    [{ skipped: [{ ...idle, reason: 'not-due', message: 'not due' }] }, /: it is no longer due/],
    [
      { expiries: [{ ...plannedExpiry(2, 'old'), action: { kind: 'warn', stage: 'soon' } }] },
      /to be announced/,
    ],
    [{}, /: the job no longer selects it$/],
  ] as const)('that would end a key the job no longer ends are stale: %j', async (fresh, why) => {
    const { main, keys, plans, file } = await plannedToExpire();
    plans['expire-old'] = fresh;
    const { stale } = await keys['keys/check-plan']({ file }, { signal: never });
    expect(stale).toEqual([expect.stringMatching(/^old \(id 2\) is no longer /)]);
    expect(stale[0]).toMatch(why);
    expect(await apply(keys, file)).toMatchObject({ good: false, stale });
    expect(main.asked).toEqual([]);
    // What the job plans again may be done.
    plans['expire-old'] = { expiries: [plannedExpiry(2, 'old')] };
    expect(await apply(keys, file)).toMatchObject({ good: true });
  });

  it('whose account changed are stale and are not planned again', async () => {
    const { main, file } = await plannedToExpire();
    const fixture = keyFixture({ other: fakeKeyService('other', []), main });
    const { stale } = await fixture.keys['keys/check-plan']({ file }, { signal: never });
    expect(stale).toEqual([expect.stringMatching(/expire-old .*account other, .* main$/)]);
  });

  it('that start nothing because a rotation is open are not applied', async () => {
    const key = surveyed(1, 'billing.g7');
    const { main, keys, plans } = oneAccount(key);
    plans['rotate-prod'] = { rotations: [plannedRotation(key)] };
    const [plan] = await keys['keys/plan']({ job: 'rotate-prod' }, { signal: never });
    await main.start([plannedRotation(key)], 'job rotate-prod');
    const outcome = await apply(keys, plan?.file);
    expect(outcome).toMatchObject({ good: false, rotations: [], notes: [expect.stringContaining('(r1)')] });
  });

  it('are rejected when they are invalid or belong to a deleted job', async () => {
    const { keys } = oneAccount();
    await expect(apply(keys, '{}')).rejects.toMatchObject({ exitCode: 2 });
    await expect(keys['keys/plan']({ job: 'pull-logs' }, { signal: never })).rejects.toMatchObject({
      code: 'job-unknown',
    });
  });
});

describe('the list of keys', () => {
  it('shows the known values of each key and omits unknown ones', async () => {
    const main = fakeKeyService('main', [
      surveyed(1, 'billing.g7', { rotation: { id: 'r1', stage: 'current', part: 'successor' } }),
      surveyed(2, 'idle'),
      surveyed(3, 'idle'),
    ]);
    await main.start([plannedRotation(surveyed(1, 'billing.g7'))], who);
    const { keys } = keyFixture({ main });
    const list = await keys['keys/list']({ days: 30 }, quiet);
    expect(list.keys).toMatchObject([
      {
        service: 'billing',
        generation: 7,
        job: 'rotate-prod',
        every: 30 * day,
        team: 'growth',
        sameName: [],
        rotation: { id: 'r1', message: 'it is planned' },
        use: { calls: 12, spend: '3.25' },
      },
      { keyId: 2, sameName: [3], use: { calls: 0 } },
      { keyId: 3, sameName: [2] },
    ]);
    expect(list.accounts).toEqual([
      { account: 'main', currency: 'USD', since: (now - 30 * day) / 1000, through: now / 1000 },
    ]);
    const blind = await keyFixture({ main }, { through: null }).keys['keys/list']({ days: 30 }, quiet);
    expect(blind.keys.map(({ use }) => use?.calls)).toEqual([12, undefined, undefined]);
    expect(blind.accounts[0]?.through).toBeUndefined();
  });
});

describe('the history of a key', () => {
  it('describes each step, oldest first, with its actor', async () => {
    const main = fakeKeyService('main', []);
    const common = { who, account: 'main', service: 'billing', rotation: 'r1' };
    const key = { keyId: 2, generation: 8, name: 'billing.g8' };
    const spec = { remainQuota: money('1'), unlimitedQuota: false, expiredTime: 'never', group: '' } as const;
    const { generation, name } = key;
    const failed = { step: 'delivering', code: 'x', message: 'disk full', tries: 2 };
    main.events = [
      { ...common, at: unixMillis(now + 1), what: 'created', ...key, fingerprint: 'ab'.repeat(32) },
      { ...common, at: now, what: 'creating', generation, name, spec },
      { ...common, at: unixMillis(now + 2), what: 'failed', ...failed },
    ];
    const { steps, zone } = await keyFixture({ main }).keys['keys/history']({ service: 'billing' });
    expect([zone, ...steps.map(({ message, tone }) => `${tone}: ${message}`)]).toEqual([
      'UTC',
      'plain: billing.g8 is requested',
      'plain: billing.g8 is created, id 2, SHA-256 abababababab…',
      expect.stringMatching(/^bad: delivering .*2.*: disk full$/),
    ]);
    expect((await keyFixture({ main }).keys['keys/history']({ service: 'other' })).steps).toEqual([]);
  });
});

it('each command ends its lease, even when it fails', async () => {
  const { work } = oneAccount(surveyed(1, 'billing.g7'));
  let [leases, taken] = [0, 0];
  const handlers = createKeyHandlers(() => {
    leases += 1;
    taken += 1;
    return { ...work, [Symbol.dispose]: () => void (leases -= 1) };
  });
  const input = {
    key: 'billing',
    service: 'billing',
    job: 'rotate-prod',
    quota: '5',
    days: 1,
    file: 'none',
    who,
  };
  for (const broken of [false, true])
    for (const [name, handler] of Object.entries(handlers)) {
      const given = broken ? { account: 'other' } : input;
      await handler(given as never, quiet).catch(() => undefined);
      expect(leases, name).toBe(0);
    }
  expect(taken).toBe(2 * Object.keys(handlers).length);
});
