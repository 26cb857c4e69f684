import { describe, expect, it } from 'vitest';
import { unixMillis, unixSeconds } from '../../../src/core/index.ts';
import { attentionOf, byAttention, progressOf } from '../../../src/cli/keys/render/attention.ts';
import { renderAudit } from '../../../src/cli/keys/render/audit.ts';
import { renderKeyHistory } from '../../../src/cli/keys/render/history.ts';
import { renderKeyOutcome } from '../../../src/cli/keys/render/outcome.ts';
import { renderKeyPlans, renderStale } from '../../../src/cli/keys/render/plan.ts';
import { renderKeys } from '../../../src/cli/keys/render/list.ts';
import { noPaint } from '../../../src/cli/ui/paint.ts';
import type { KeyHistory, KeyListView, KeyPlanView, KeyView, RotationView } from '../../../src/app/index.ts';
import { approved, titled } from '../../support/approved.ts';
import { hostile, now, pageFaults, screens } from '../support/views.ts';

const day = 86_400_000;
const inDays = (days: number) => unixSeconds(Math.floor((now + days * day) / 1000));

const keyView = (name: string, change: Partial<KeyView> = {}): KeyView => ({
  account: 'main',
  keyId: 1,
  name,
  service: name,
  generation: 1,
  known: true,
  created: inDays(-10),
  expires: 'never',
  remainQuota: '12.5',
  unlimitedQuota: false,
  sameName: [],
  use: { calls: 3, lastCall: inDays(-1), spend: '0.25' },
  ...change,
});

const rotation = (change: Partial<RotationView> = {}): RotationView => ({
  id: 'r1',
  account: 'main',
  service: 'billing',
  stage: 'current',
  since: now,
  message: 'both keys work until 2026-11-23',
  tries: 0,
  ...change,
});

const listView = (keys: readonly KeyView[], change: Partial<KeyListView> = {}): KeyListView => ({
  at: now,
  zone: 'UTC',
  accounts: [{ account: 'main', currency: 'USD', since: inDays(-30), through: inDays(0) }],
  keys,
  rotations: [],
  ...change,
});

const every = 30 * day;

describe('the attention column', () => {
  it('shows the most urgent point first, and nothing where no action is near', async () => {
    const waiting = rotation({ stage: 'waiting', message: 'the sink is full' });
    const retried = rotation({ tries: 2, triesAllowed: 5, nextTry: unixMillis(now + 240_000) });
    const used = rotation({ escalated: true, message: 'billing.g1 is used' });
    const midnight = Date.parse('2026-11-19T00:00:00Z') / 1000;
    const oldUse = {
      keyId: 4711,
      name: 'billing.g1',
      from: unixSeconds(midnight),
      to: unixSeconds(midnight + 86_400),
      use: { calls: 12, lastCall: unixSeconds(midnight + 36_000), models: [{ model: 'gpt-5', calls: 12 }] },
      hours: [unixSeconds(midnight + 32_400)],
    };
    const due = { every, created: inDays(-40) };
    const cases: readonly (readonly [string, Partial<KeyView>])[] = [
      ['a calm key', {}],
      ['a paused rotation', { rotation: waiting }],
      ['a failed step', { rotation: rotation({ tries: 2 }) }],
      ['a step that is retried', { rotation: retried }],
      ['an old key in use', { rotation: used }],
      ['an old key whose owner was notified', { keyId: oldUse.keyId, rotation: rotation({ oldUse }) }],
      [
        'an old key that nobody uses',
        {
          keyId: oldUse.keyId,
          rotation: rotation({ oldUse: { ...oldUse, use: { calls: 0, models: [] }, hours: [] } }),
        },
      ],
      ['the successor of a used key', { rotation: rotation({ oldUse }) }],
      ['expired', { expires: inDays(-3) }],
      ['expires soon', { expires: inDays(12) }],
      ['expires late', { expires: inDays(31) }],
      ['no quota left', { remainQuota: '0.000' }],
      ['overdrawn quota', { remainQuota: '-1.2' }],
      ['unlimited quota', { remainQuota: '0', unlimitedQuota: true }],
      ['a name of several keys', { sameName: [7, 8] }],
      ['due for rotation', { ...due, job: 'rotate-prod' }],
      ['due later', { every }],
      ['due, with a rotation', { ...due, rotation: rotation() }],
      ['no calls', { use: { calls: 0 } }],
    ];
    const shown = cases.map(
      ([title, change]) =>
        [title, attentionOf(keyView('billing', change), now, 'UTC')[0]?.message ?? '(nothing)'] as const,
    );
    await expect(titled(shown)).toMatchFileSnapshot(approved('cli/keys-attention'));
  });

  it('sorts the keys by required action, then by nearest expiry', () => {
    const keys = [
      keyView('calm'),
      keyView('idle', { use: { calls: 0 } }),
      keyView('half', { every: 20 * day }),
      keyView('soon', { expires: inDays(5) }),
      keyView('sooner', { expires: inDays(1) }),
      keyView('dead', { expires: inDays(-1) }),
      keyView('waits', { rotation: rotation({ stage: 'waiting' }) }),
    ];
    const sorted = byAttention(keys, now, 'UTC').map(({ name }) => name);
    expect(sorted.join()).toBe('waits,dead,sooner,soon,idle,half,calm');
  });

  it('shows how far a key is on its way to its next event', () => {
    expect(progressOf(keyView('a', { every: 20 * day }), now)).toBeCloseTo(0.5, 2);
    expect(progressOf(keyView('a', { every, expires: inDays(0) }), now)).toBeGreaterThan(0.999);
    expect(progressOf(keyView('a', { expires: inDays(-20) }), now)).toBe(1);
    const { created: _created, ...ageless } = keyView('a', { every });
    expect(progressOf(ageless, now)).toBe(undefined);
    expect(progressOf(keyView('a'), now)).toBe(undefined);
  });
});

describe('the list of keys', () => {
  const pipe = { paint: noPaint };

  it('shows a bar for the progress of each key, unknown values, rotations, and how many keys need attention', async () => {
    const { use: _use, created: _created, ...unknown } = keyView('unseen', { known: false });
    const keys = [
      keyView('due', { every: 5 * day }),
      keyView('almost', { expires: inDays(0.3) }),
      keyView('half', { every: 20 * day }),
      keyView('endless'),
    ];
    const unread = [{ account: 'main', currency: 'USD', since: inDays(-30) }];
    const failing = { message: 'no answer', tries: 1, triesAllowed: 2, nextTry: now };
    const withRotation = (change: Partial<RotationView>) =>
      listView([], { rotations: [rotation({ stage: 'creating', ...change })] });
    const ends = [
      [1, 1],
      [1, 13],
      [0, 13],
      [0, 1],
    ].map(([due = 0, length = 0]) => {
      const some = Array.from({ length }, (_, at) =>
        keyView(`key-${at}`, at < due ? { every: 5 * day } : {}),
      );
      return renderKeys(listView(some), pipe).trimEnd().split('\n').at(-1);
    });
    const pages = titled([
      ['on a wide terminal', renderKeys(listView(keys), { paint: noPaint, width: 140 })],
      ['in a pipe', renderKeys(listView(keys), pipe)],
      ['unknown values', renderKeys(listView([unknown], { accounts: unread }), pipe)],
      ['a key without calls', renderKeys(listView([keyView('idle', { use: { calls: 0 } })]), pipe)],
      ['a rotation without a key', renderKeys(withRotation({}), pipe)],
      ['a failed rotation without a key', renderKeys(withRotation(failing), pipe)],
      ['last lines', ends.join('\n')],
    ]);
    await expect(pages).toMatchFileSnapshot(approved('cli/keys-list'));
  });

  it('prints thousands of keys completely', () => {
    const keys = Array.from({ length: 2000 }, (_, at) => keyView(`key-${at}`, { keyId: at }));
    expect(renderKeys(listView(keys), { paint: noPaint, width: 100 }).split('\n').length).toBe(2005);
  });
});

it.each(screens)('every page of keys keeps hostile values on their lines: %s', (_, screen) => {
  const text = { account: 'main', service: hostile, message: hostile };
  const fault = { code: 'disk-full', message: hostile, advice: hostile };
  const [old, candidate] = [
    { keyId: 1, name: hostile },
    { keyId: 2, name: hostile },
  ] as const;
  const long = rotation({ ...text, tries: 1, old, candidate, fault });
  const plan: KeyPlanView = {
    at: now,
    account: 'main',
    job: 'rotate-prod',
    kind: 'rotate-keys',
    zone: 'UTC',
    changes: [
      { what: 'rotate', ...text, keyId: 1, name: hostile },
      { what: 'create', service: 'b', message: 'a first key' },
    ],
    notes: [hostile],
    file: '{}',
  };
  const step = (what: string, at: number): KeyHistory['steps'][number] => ({
    ...text,
    at: unixMillis(at),
    who: hostile,
    rotation: hostile,
    what,
    tone: 'bad',
    event: {},
  });
  const steps = [step('quota-adjusting', now), step('held', now + 3 * day)];
  const changes = [{ account: 'main', keyId: 1, name: hostile, done: false, message: hostile }];
  const accounts = ['main', 'other'].map((account) => ({ account, currency: 'USD', since: inDays(-30) }));
  const ofTwo = [keyView('a'), keyView('b', { account: 'other' })];
  const audit = {
    file: hostile,
    lines: 3,
    head: 'ab'.repeat(32),
    broken: { line: 4, why: hostile },
    missing: { steps: 3, writtenAgain: true },
    advice: hostile,
  };
  const pages = {
    list: renderKeys(listView([keyView(hostile, { rotation: long, team: hostile }), keyView('')]), screen),
    'list of two accounts': renderKeys(listView(ofTwo, { accounts, rotations: [long] }), screen),
    plan: renderKeyPlans([plan, { ...plan, changes: [], notes: [] }], screen),
    stale: renderStale([hostile], screen),
    outcome: renderKeyOutcome({ rotations: [long], changes, notes: [hostile], good: false }, screen),
    nothing: renderKeyOutcome({ rotations: [], changes: [], notes: [], good: true }, screen),
    history: renderKeyHistory({ zone: 'Europe/Berlin', steps }, screen),
    audit: renderAudit(audit, screen),
  };
  for (const [name, page] of Object.entries(pages))
    expect([name, pageFaults(page, screen)]).toEqual([name, []]);
});
