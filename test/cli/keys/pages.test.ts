import { describe, expect, it } from 'vitest';
import { unixMillis, unixSeconds } from '../../../src/core/index.ts';
import { attentionOf, byAttention, progressOf } from '../../../src/cli/keys/render/attention.ts';
import { renderAudit } from '../../../src/cli/keys/render/audit.ts';
import { renderKeyHistory } from '../../../src/cli/keys/render/history.ts';
import { renderKeyOutcome } from '../../../src/cli/keys/render/outcome.ts';
import { keyPlansJson, renderKeyPlans, renderStale } from '../../../src/cli/keys/render/plan.ts';
import { renderKeys } from '../../../src/cli/keys/render/list.ts';
import { noPaint } from '../../../src/cli/ui/paint.ts';
import type {
  KeyHistory,
  KeyListView,
  KeyOutcome,
  KeyPlanView,
  KeyView,
  RotationView,
} from '../../../src/daemon/index.ts';
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
  it.each([
    ['nothing', {}, undefined],
    [
      'a person',
      { rotation: rotation({ stage: 'waiting', message: 'the sink is full' }) },
      /^action required: the sink is full$/,
    ],
    ['a look at a failed step', { rotation: rotation({ tries: 2 }) }, /^rotation \(current\): /],
    [
      'to be known of: how often it was tried, how often it is, and when',
      { rotation: rotation({ tries: 2, triesAllowed: 5, nextTry: unixMillis(now + 240_000) }) },
      /^rotation \(current\): both .*\(failed 2 times, 3 attempts left, next in 4 min\)$/,
    ],
    [
      'somebody to find out who still uses the old one',
      { rotation: rotation({ escalated: true, message: 'billing.g1 is used' }) },
      /^past its time: billing\.g1 is used$/,
    ],
    ['a successor, since it expired', { expires: inDays(-3) }, /^expired 3 d ago$/],
    ['a successor, since it expires soon', { expires: inDays(12) }, /^expires in 12 d$/],
    ['nothing yet, since it expires late', { expires: inDays(31) }, undefined],
    ['quota', { remainQuota: '0.000' }, /quota exhausted/],
    ['quota, when it is overdrawn', { remainQuota: '-1.2' }, /quota exhausted/],
    ['no quota, when it has no limit', { remainQuota: '0', unlimitedQuota: true }, undefined],
    ['a name of its own', { sameName: [7, 8] }, /^name collision with ID 7, 8/],
    [
      'its rotation',
      { every, created: inDays(-40), job: 'rotate-prod' },
      /^due for rotation by rotate-prod since 10 d$/,
    ],
    ['no rotation yet', { every }, undefined],
    [
      'no second rotation',
      { every, created: inDays(-40), rotation: rotation() },
      /^rotation \(current\): both/,
    ],
    ['to be looked at, since nobody calls', { use: { calls: 0 } }, /^no calls in this time range$/],
  ])('shows the most urgent point first: %s', (_, change, message) => {
    const [first] = attentionOf(keyView('billing', change), now);
    if (message === undefined) expect(first).toBe(undefined);
    else expect(first?.message).toMatch(message);
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
    expect(byAttention(keys, now).map(({ name }) => name)).toEqual([
      'waits',
      'dead',
      'sooner',
      'soon',
      'idle',
      'half',
      'calm',
    ]);
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
  it('draws a bar for the progress of each key, and never a full bar early', () => {
    const page = renderKeys(
      listView([
        keyView('due', { every: 5 * day }),
        keyView('almost', { expires: inDays(0.3) }),
        keyView('half', { every: 20 * day }),
        keyView('endless'),
      ]),
      { paint: noPaint, width: 140 },
    );
    expect(page).toMatch(/^due .*██████████/m);
    expect(page).toMatch(/^almost .*█████████░/m);
    expect(page).toMatch(/^half .*█████░░░░░/m);
    expect(page).toMatch(/^endless +1 +endless g1 +10 d +- +never/m);
    expect(page).toMatch(/\n2 of 4 keys need attention\n$/);
    expect(renderKeys(listView([keyView('due', { every: 1 })]), { paint: noPaint })).not.toContain('█');
  });

  it.each([
    [1, 1, '1 key needs attention'],
    [1, 13, '1 of 13 keys needs attention'],
    [2, 13, '2 of 13 keys need attention'],
    [0, 13, '13 keys'],
    [0, 1, '1 key'],
  ])('ends with how many keys need attention: %i of %i', (due, all, end) => {
    const keys = Array.from({ length: all }, (_, index) =>
      keyView(`key-${index}`, index < due ? { every: 5 * day } : {}),
    );
    expect(renderKeys(listView(keys), { paint: noPaint })).toMatch(new RegExp(`\n${end}\n$`));
  });

  it('shows unknown values as unknown', () => {
    const { use: _use, created: _created, ...unknown } = keyView('unseen', { known: false });
    const { through: _through, ...account } = listView([]).accounts[0] ?? {
      account: '',
      currency: '',
      since: inDays(0),
    };
    const page = renderKeys(listView([unknown], { accounts: [account] }), { paint: noPaint });
    expect(page).toMatch(/^unseen +1 +unseen g1\? +\? +never +\? +\? +\?$/m);
    expect(page).toContain('the call log may be incomplete over the last 30 d');
    const idle = renderKeys(listView([keyView('idle', { use: { calls: 0 } })]), { paint: noPaint });
    expect(idle).toMatch(/^idle +1 +idle g1 +10 d +never +none +10 d +0$/m);
  });

  it('shows rotations of unlisted keys, and says when there is none', () => {
    const page = renderKeys(listView([], { rotations: [rotation({ stage: 'creating' })] }), {
      paint: noPaint,
    });
    expect(page).toBe('no keys\nbilling: rotation (creating): both keys work until 2026-11-23\n');
    const failing = rotation({
      stage: 'creating',
      message: 'no answer',
      tries: 1,
      triesAllowed: 2,
      nextTry: now,
    });
    expect(renderKeys(listView([], { rotations: [failing] }), { paint: noPaint })).toMatch(
      /^billing: rotation \(creating\): no answer \(failed once, 1 attempt left, next attempt in the coming cycle\)$/m,
    );
  });

  it('prints thousands of keys completely', () => {
    const keys = Array.from({ length: 2000 }, (_, at) => keyView(`key-${at}`, { keyId: at }));
    expect(renderKeys(listView(keys), { paint: noPaint, width: 100 }).split('\n').length).toBe(2005);
  });
});

it('a plan lists every unchanged key on request, and always in JSON', () => {
  const plan: KeyPlanView = {
    at: now,
    account: 'main',
    job: 'rotate-prod',
    kind: 'rotate-keys',
    zone: 'UTC',
    changes: [],
    notes: ['left as usual: 1 key'],
    skipped: [{ keyId: 7, name: 'billing.g7', reason: 'not-due', message: 'it is due in 12 d' }],
    file: '{}',
  };
  const screen = { paint: noPaint };
  const heading = 'rotate-prod (rotate-keys, main): nothing to do now\n';
  expect(renderKeyPlans([plan], screen)).toBe(`${heading}left as usual: 1 key\n`);
  expect(renderKeyPlans([plan], screen, true)).toBe(
    `${heading}skipped: billing.g7 (ID 7), not-due: it is due in 12 d\n`,
  );
  expect(keyPlansJson([plan])).toMatchObject([{ skipped: [{ name: 'billing.g7', reason: 'not-due' }] }]);
});

describe.each(screens)('every page of keys on %s', (_, screen) => {
  const long = rotation({
    service: hostile,
    message: hostile,
    tries: 1,
    old: { keyId: 1, name: hostile },
    candidate: { keyId: 2, name: hostile },
    fault: { code: 'disk-full', message: hostile, advice: hostile },
  });
  const plan: KeyPlanView = {
    at: now,
    account: 'main',
    job: 'rotate-prod',
    kind: 'rotate-keys',
    zone: 'UTC',
    changes: [
      { what: 'rotate', service: hostile, keyId: 1, name: hostile, message: hostile },
      { what: 'create', service: 'b', message: 'a first key' },
    ],
    notes: [hostile],
    file: '{}',
  };
  const step = (what: string, at: number): KeyHistory['steps'][number] => ({
    at: unixMillis(at),
    account: 'main',
    who: hostile,
    service: hostile,
    rotation: hostile,
    what,
    message: hostile,
    tone: 'bad',
    event: {},
  });
  const outcome: KeyOutcome = {
    rotations: [long],
    changes: [{ account: 'main', keyId: 1, name: hostile, done: false, message: hostile }],
    notes: [hostile],
    good: false,
  };
  it.each<[string, () => string]>([
    [
      'list',
      () => renderKeys(listView([keyView(hostile, { rotation: long, team: hostile }), keyView('')]), screen),
    ],
    [
      'list of two accounts',
      () =>
        renderKeys(
          listView([keyView('a'), keyView('b', { account: 'other' })], {
            accounts: ['main', 'other'].map((account) => ({ account, currency: 'USD', since: inDays(-30) })),
            rotations: [long],
          }),
          screen,
        ),
    ],
    ['plan', () => renderKeyPlans([plan, { ...plan, changes: [], notes: [] }], screen)],
    ['stale', () => renderStale([hostile], screen)],
    ['outcome', () => renderKeyOutcome(outcome, screen)],
    ['nothing', () => renderKeyOutcome({ rotations: [], changes: [], notes: [], good: true }, screen)],
    [
      'history',
      () =>
        renderKeyHistory(
          { zone: 'Europe/Berlin', steps: [step('quota-adjusting', now), step('held', now + 3 * day)] },
          screen,
        ),
    ],
    [
      'audit',
      () =>
        renderAudit(
          {
            file: hostile,
            lines: 3,
            head: 'ab'.repeat(32),
            broken: { line: 4, why: hostile },
            missing: { steps: 3, writtenAgain: true },
            advice: hostile,
          },
          screen,
        ),
    ],
  ])('%s keeps hostile values on their lines', (__, render) => {
    expect(pageFaults(render(), screen)).toEqual([]);
  });
});
