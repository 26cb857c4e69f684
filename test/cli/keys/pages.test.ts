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
} from '../../../src/app/index.ts';
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
    const due = { every, created: inDays(-40) };
    const cases: readonly (readonly [string, Partial<KeyView>])[] = [
      ['a calm key', {}],
      ['a paused rotation', { rotation: waiting }],
      ['a failed step', { rotation: rotation({ tries: 2 }) }],
      ['a step that is retried', { rotation: retried }],
      ['an old key in use', { rotation: used }],
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
        [title, attentionOf(keyView('billing', change), now)[0]?.message ?? '(nothing)'] as const,
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
    expect(page).toContain('over the last 30 d');
    const idle = renderKeys(listView([keyView('idle', { use: { calls: 0 } })]), { paint: noPaint });
    expect(idle).toMatch(/^idle +1 +idle g1 +10 d +never +none +10 d +0$/m);
  });

  it('shows rotations of unlisted keys, and says when there is none', () => {
    const page = renderKeys(listView([], { rotations: [rotation({ stage: 'creating' })] }), {
      paint: noPaint,
    });
    expect(page).toMatch(/^no keys\nbilling: rotation \(creating\): .* 2026-11-23\n$/);
    const failing = rotation({
      stage: 'creating',
      message: 'no answer',
      tries: 1,
      triesAllowed: 2,
      nextTry: now,
    });
    expect(renderKeys(listView([], { rotations: [failing] }), { paint: noPaint })).toMatch(
      /^billing: rotation \(creating\): no answer \(failed once, 1 .*\)$/m,
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
  const heading = String.raw`^rotate-prod \(rotate-keys, main\): .*\n`;
  expect(renderKeyPlans([plan], screen)).toMatch(new RegExp(`${heading}left as usual: 1 key\n$`));
  const skipped = String.raw`skipped: billing\.g7 \(ID 7\), not-due: .* 12 d\n$`;
  expect(renderKeyPlans([plan], screen, true)).toMatch(new RegExp(`${heading}${skipped}`));
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
