import { money, unixMillis, unixSeconds, type LocaleTag } from '../../src/core/index.ts';
import { planEmail } from '../../src/jobs/keys/plan-mail.ts';
import type { HoldFacts, KeyAlert, KeyMatter, RetainFacts, RetainReason } from '../../src/keys/index.ts';
import { localeOf, type PlanFacts } from '../../src/messages/index.ts';
import type { Mail } from '../../src/notify/index.ts';
import { deps, keyAlertMail } from '../app/support/alert-emails.ts';

const day = 86_400_000;
const since = unixMillis(Date.parse('2026-11-20T10:07:00Z'));
const seconds = unixSeconds(since / 1000);
/** The local day before. */
const lastDay = {
  from: unixSeconds(Date.parse('2026-11-19T00:00:00Z') / 1000),
  to: unixSeconds(Date.parse('2026-11-20T00:00:00Z') / 1000),
};
const [name, old, stage, why] = ['billing.g7', 'billing.g6', '…', '…'];
const models = ['a', 'b', 'c', 'd', 'e', 'f'].map((model) => ({ model, calls: 1200 }));
const use = { calls: 1204, lastCall: seconds, spend: money('3.25'), models };

const skew: HoldFacts = {
  reason: 'clock-skew',
  problem: { kind: 'skew', offset: 5_400_000, measuredAt: since },
};

const holds: readonly HoldFacts[] = [
  { reason: 'used', use, names: [] },
  { reason: 'used', use: { calls: 1, models: [] }, names: ['billing.g1', 'billing.g2'] },
  { reason: 'used', use, names: [], quota: { from: money('10'), to: money('9.5') } },
  { reason: 'successor-unused', successor: name },
  { reason: 'successor-dead', successor: name, state: 'exhausted' },
  { reason: 'log-incomplete', why, lag: 2.5 * 3_600_000 },
  { reason: 'name-shared', successor: name, ids: [4, 5] },
  { reason: 'name-shared', successor: name, ids: [], shared: 'billing.g1' },
  { reason: 'clock-skew', problem: { kind: 'contradicted', by: 2 * 3_600_000 } },
  { reason: 'clock-skew', problem: { kind: 'contradicted', by: 0 } },
  { reason: 'clock-skew', problem: { kind: 'log-behind', by: 3_600_000 } },
  { reason: 'clock-skew', problem: { kind: 'skew', offset: -3_600_000, measuredAt: since } },
  { reason: 'place-undeclared', places: ['file:/a'] },
  { reason: 'place-undeclared', places: ['file:/a', 'file:/b'] },
  {
    reason: 'sink-holds-it',
    successor: name,
    places: ['file:/a'],
    found: [{ sink: 'file:/a', other: 'another' }],
  },
  {
    reason: 'sink-holds-it',
    successor: name,
    places: ['file:/a', 'file:/b'],
    found: [
      { sink: 'file:/a', other: 'another' },
      { sink: 'file:/b', other: 'empty' },
    ],
  },
];

const retained: readonly (readonly [RetainReason, RetainFacts])[] = [
  ['ambiguous', { ids: [4, 5] }],
  ['not-ours', { why }],
  ['not-ours', {}],
  ['sinks-undeclared', {}],
  ['sink-holds-it', { sink: 'file:/a' }],
  ['sink-unreadable', { sink: 'file:/a', why }],
  ['sink-unknown', { sink: 'file:/a' }],
  ['sink-failed', { sink: 'file:/a', why }],
  ['used', { calls: 1 }],
  ['log-incomplete', { until: seconds, why }],
];

const ends = { kind: 'ends', job: 'end-idle', isLonger: true, evenIfUsed: false } as const;

/** Every matter, with each of its reasons. */
const matters: readonly (readonly [KeyAlert['kind'], KeyMatter])[] = [
  [
    'exposure',
    {
      event: 'exposure',
      name,
      quota: money('10'),
      sum: money('9.5'),
      olds: [{ name: old, remain: money('9.5') }],
    },
  ],
  ['escalated', { event: 'quota-used-up', name, old }],
  ['exposure', { event: 'quota-not-adjusted', name, old, why }],
  ['escalated', { event: 'taken-away', name }],
  ['escalated', { event: 'still-there', name, keyId: 7, since }],
  ['orphan', { event: 'orphan-deleted', name }],
  [
    'waiting',
    {
      event: 'outdated',
      differences: [
        { kind: 'key', name, keyId: 7, highest: 6 },
        { kind: 'sink', place: 'file:/a', sink: 'file /a', fingerprint: '0123456789012345' },
      ],
      stated: [why],
    },
  ],
  ['escalated', { event: 'sink-dead', place: 'file:/a', keyId: 7, name, state: 'deleted' }],
  ['failed', { event: 'step-failed', step: 'deliver', why, old: { state: 'works', name: old } }],
  ['waiting', { event: 'step-failed', step: 'deliver', why, tries: 5 }],
  ['waiting', { event: 'paused', why }],
  ['waiting', { event: 'unconfirmed', name, place: 'file:/a' }],
  ['waiting', { event: 'no-sink', job: 'rotate' }],
  ['held', { event: 'held', name: old, why: { reason: 'used', use, names: [] } }],
  ['escalated', { event: 'held', name: old, why: { reason: 'used', use, names: [] }, escalated: true }],
  ['held', { event: 'held', name: old, why: { reason: 'used', use, names: [] }, isTimed: true }],
  [
    'held',
    {
      event: 'held',
      name: old,
      why: { reason: 'successor-dead', successor: name, state: 'disabled' },
      isTimed: true,
    },
  ],
  ['held', { event: 'held', name: old, why: skew }],
  ['held', { event: 'held', name: old, why: { reason: 'place-undeclared', places: ['file:/a'] } }],
  ['warning', { event: 'ending', name, notice: { kind: 'expires', before: 7 * day, at: seconds }, stage }],
  [
    'orphan',
    {
      event: 'orphan-retained',
      name,
      keyId: 7,
      identified: true,
      reason: 'used',
      facts: { calls: 2 },
    },
  ],
  [
    'orphan',
    {
      event: 'orphan-retained',
      name,
      keyId: 7,
      identified: false,
      reason: 'ambiguous',
      facts: { ids: [4, 5] },
    },
  ],
  ['failed', { event: 'stuck', why, since }],
  ['done', { event: 'stuck-over', since }],
  ['failed', { event: 'closed', why, since }],
  ['done', { event: 'closed-over', since }],
  ...holds.map((hold) => ['held', { event: 'held', name: old, why: hold }] as const),
  ...retained.map(
    ([reason, facts]) =>
      ['orphan', { event: 'orphan-retained', name, keyId: 7, identified: true, reason, facts }] as const,
  ),
  ...(['none', 'gone', 'expired', 'disabled', 'exhausted'] as const).map(
    (state) => ['failed', { event: 'step-failed', step: 'verify', why, old: { state, name: old } }] as const,
  ),
  [
    'exposure',
    {
      event: 'exposure',
      name,
      quota: money('1'),
      sum: money('2'),
      olds: [
        { name: 'a', remain: money('1') },
        { name: 'b', remain: money('1') },
      ],
    },
  ],
  [
    'used',
    {
      event: 'old-key-used',
      name,
      successor: 'billing.g4-c2d4',
      ...lastDay,
      hours: [9, 10, 11, 14].map((hour) => unixSeconds(lastDay.from + hour * 3600)),
      ends: { kind: 'unused', quiet: day, from: unixMillis(since + 3 * day) },
    },
  ],
  [
    'used',
    {
      event: 'old-key-used',
      name,
      successor: 'billing.g4-c2d4',
      from: unixSeconds(lastDay.from - 86_400),
      to: lastDay.to,
      hours: [unixSeconds(lastDay.from - 3600), unixSeconds(lastDay.from)],
      ends: { kind: 'at', at: unixSeconds(lastDay.to + 3 * 86_400) },
    },
  ],
  [
    'unused',
    {
      event: 'old-key-unused',
      name,
      ...lastDay,
      lastCall: unixSeconds(lastDay.from - 7200),
      ends: { kind: 'unused', quiet: 6 * 3_600_000, from: since },
    },
  ],
  ['waiting', { event: 'too-many-keys', names: ['a', 'b', 'c'] }],
  ['waiting', { event: 'outdated', differences: undefined, stated: [why] }],
  [
    'warning',
    {
      event: 'ending',
      name,
      notice: { ...ends, clock: 'idle', began: since, expires: day, deletes: 9 * day },
      stage,
    },
  ],
  [
    'warning',
    { event: 'ending', name, notice: { ...ends, clock: 'age', evenIfUsed: true, deletes: 3_600_000 }, stage },
  ],
];

const isOfAccount = ({ event }: KeyMatter): boolean => /^(?:stuck|closed)/.test(event);

const mailsOf = (tag: LocaleTag, all: typeof matters, named = 'billing'): readonly Mail[] =>
  all.flatMap(([kind, about], at) => {
    const alert = {
      kind,
      account: 'main',
      service: isOfAccount(about) ? '' : named,
      rotation: 'r1',
      about,
      key: `${at}`,
    };
    const sender = {
      ...deps(),
      locale: localeOf(tag),
      teams: [{ name: 'growth', keys: ['billing'], mail: ['growth@example.com'] }],
      keyNames: [],
    };
    const audit = { seq: 1204, hash: 'a1'.repeat(32) };
    const shown = kind === 'held' || kind === 'used' ? { ...alert, use } : alert;
    return keyAlertMail(shown, since, { ...sender, currency: 'USD', audit }) ?? [];
  });

const plans: readonly PlanFacts[] = [
  ...(
    [
      ['unused', 'delete', false],
      ['after-overlap', 'expire', true],
    ] as const
  ).map(([when, ending, isSplit]) => ({
    kind: 'rotate' as const,
    service: 'billing',
    isSplit,
    terms: { overlap: 2 * day, retire: { when, ending, quiet: day } },
  })),
  { kind: 'end', action: { kind: 'delete' }, clock: 'idle', passed: 30 * day },
  { kind: 'end', action: { kind: 'expire', at: seconds }, clock: 'age', passed: 30 * day },
  { kind: 'end', action: { kind: 'expire', in: 0 }, clock: 'expired', passed: 30 * day },
  {
    kind: 'end',
    action: { kind: 'warn', stage, notice: { ...ends, clock: 'exhausted', began: since } },
    clock: 'exhausted',
    passed: day,
  },
  { kind: 'skip', message: why, reason: 'exhausted' },
  { kind: 'skip', message: why, reason: 'name-not-unique' },
  { kind: 'skip', message: why, reason: 'outside-window', at: since },
  { kind: 'skip', message: why, reason: 'used', at: since },
];

const planMails = (tag: LocaleTag): readonly Pick<Mail, 'subject' | 'html' | 'text'>[] =>
  [{ rotate: 1200, skipped: 2 }, { warn: 1, expire: 2, delete: 1, skipped: 0 }, { skipped: 0 }].map(
    (counts) =>
      planEmail(
        {
          counts,
          keys: plans.map((facts) => ({ name, service: 'billing', age: 31 * day, facts })),
          usual: 12,
        },
        {
          job: 'rotate',
          account: 'main',
          slot: since,
          zone: 'UTC',
          locale: localeOf(tag),
          to: ['a@example.com'],
        },
      ),
  );

/** A mail about a step and one about a key, whose names are hostile. */
export const hostileKeyMails = (tag: LocaleTag, named: string): readonly Mail[] =>
  mailsOf(
    tag,
    [
      ['waiting', { event: 'step-failed', step: named, why: named, tries: 5 }],
      ['held', { event: 'held', name: named, why: { reason: 'name-shared', successor: named, ids: [] } }],
    ],
    named,
  );

export const keyMails = (tag: LocaleTag) => ({ matters: mailsOf(tag, matters), plans: planMails(tag) });
