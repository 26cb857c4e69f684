import { simpleParser, type ParsedMail } from 'mailparser';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localeTags, money, unixMillis, unixSeconds, type LocaleTag } from '../../src/core/index.ts';
import { notifyOfResting } from '../../src/jobs/pull-logs/late-notice.ts';
import { alertRules } from '../../src/jobs/alert/rules/registry.ts';
import { localeOf } from '../../src/messages/index.ts';
import type { Mail } from '../../src/notify/index.ts';
import { widthOf } from '../../src/reports/render/text-width.ts';
import { maxLateTries, type KnownGap, type LearnedChange } from '../../src/warehouse/index.ts';
import {
  adminKeyMail,
  configMails,
  deps,
  gapMail,
  hostile,
  jobNamed,
  learnedMail,
  noticeMails,
  noticeOf,
} from '../app/support/alert-emails.ts';
import { openTown } from '../app/support/daemon.ts';
import { hostileKeyMails, keyMails } from './key-mails.ts';
import { budgetOf, openAlertFixture, threshold, type Call } from '../jobs/alert/alert-fixture.ts';
import { openOutboxFixture } from '../notify/support/outbox-fixture.ts';
import { approved, mailText, titled } from '../support/approved.ts';

type Read = { readonly [Part in 'subject' | 'text' | 'html']?: ParsedMail[Part] };

const operators = ['ops@example.com'];
const spent = (day: number, charge: string): readonly Call[] => [
  { at: `2026-11-${day}T12:00:00Z`, charge, key: 'prod' },
];

const notedAt = unixMillis(Date.parse('2026-11-20T10:07:00Z'));

const gap: KnownGap = {
  source: 'statistics',
  range: { start: unixSeconds(1_795_000_000), end: unixSeconds(1_795_003_600) },
  gap: money('-1.5'),
  unit: 'USD',
  verdict: 'truncated',
  text: '…',
  state: 'open',
  notedAt,
};

/** A threshold is reached and left, the state is unknown and known, and a balance runs out and is topped up. */
const alertMails = async (locale: LocaleTag): Promise<readonly Read[]> => {
  await using fixture = await openAlertFixture();
  const common = {
    owner: [],
    amount: money('5'),
    thresholds: [threshold('80%', '4'), threshold('100%', '5')],
    forecastThresholds: [threshold('100%', '5')],
  };
  const budgets = [
    budgetOf({ ...common, name: 'search', owner: ['owner@example.com'] }),
    budgetOf({ ...common, name: 'chat', scope: { kind: 'model', name: 'gpt-5*' }, thresholds: [] }),
  ];
  const costOwners = { teams: [], prices: [], operators };
  const evaluate = (slot: string, count: number, lag = '0s') => {
    const chosen = budgets.slice(0, count);
    return fixture.evaluate(
      slot,
      chosen,
      { lag },
      { locale, costOwners: { ...costOwners, budgets: chosen } },
    );
  };
  const snapshot = async (day: string, balance: string, used: string) => {
    const takenAt = unixMillis(Date.parse(`${day}T00:00:00Z`));
    const profile = {
      askedAt: takenAt,
      username: 'u',
      displayName: undefined,
      balance: money(balance),
      usedQuota: money(used),
      requestCount: undefined,
      group: undefined,
      level: undefined,
      rest: '{}',
    };
    await fixture.warehouse.snapshots.land({ account: 'main', takenAt, profile });
    await evaluate(`${day}T00:00:00Z`, 0);
  };
  await fixture.land('2026-10-01T00:00:00Z', '2026-11-16T00:00:00Z', spent(10, '3'));
  await evaluate('2026-11-16T00:00:00Z', 1);
  await fixture.land('2026-11-16T00:00:00Z', '2026-11-17T00:00:00Z', spent(16, '3'));
  await evaluate('2026-11-17T00:00:00Z', 1);
  await fixture.land('2026-11-16T00:00:00Z', '2026-11-17T00:00:00Z', spent(16, '0.5'));
  await evaluate('2026-11-17T01:00:00Z', 1, '2h');
  await evaluate('2026-11-17T12:00:00Z', 1);
  await fixture.land('2026-11-17T00:00:00Z', '2026-11-18T00:00:00Z', []);
  await evaluate('2026-11-18T00:00:00Z', 1);
  await evaluate('2026-11-18T12:00:00Z', 2);
  await evaluate('2026-11-19T12:00:00Z', 2);
  await snapshot('2026-11-21', '20', '0');
  await snapshot('2026-11-22', '10.5', '9.5');
  await snapshot('2026-11-23', '900', '19');
  const range = gap.range;
  const window = { range, gatewaySum: money('12.5'), tries: maxLateTries };
  await fixture.warehouse.comparisons.noteLagging('main', range, [window]);
  await notifyOfResting({ ...fixture.context, locale, costOwners });
  return fixture.mails();
};

const from = unixMillis(Date.parse('2026-11-20T08:57:00Z'));
const changes: readonly LearnedChange[] = [
  { topic: 'column-appeared', name: 'tier', role: '', notedAt },
  { topic: 'column-appeared', name: 'use_time', role: 'use_time', notedAt },
  { topic: 'column-gone', name: 'tier', role: '', notedAt },
  { topic: 'column-gone', name: 'use_time', role: 'use_time', notedAt },
  { topic: 'amounts-changed', name: 'units', from, form: 'stored', notedAt },
  { topic: 'amounts-changed', name: 'currency', from, form: 'converted', notedAt },
  { topic: 'usage-unit', name: 'model', from, form: 'stored', notedAt },
  { topic: 'usage-unit', name: 'key', from, form: 'units', notedAt },
  { topic: 'kind-unknown', name: '9', evidence: '…', notedAt },
  { topic: 'rollup-differs', name: 'UTC', days: 1, first: '2026-11-20', notedAt },
  { topic: 'rollup-differs', name: 'UTC', days: 1200, first: '2026-11-20', notedAt },
];

/** Reasons, which errors give in English, are left out. */
const outageMails = (tag: LocaleTag): readonly Mail[] => {
  const jobs = deps(jobNamed('pull-logs'), jobNamed('spend'), jobNamed('archive'));
  const sender = { ...jobs, locale: localeOf(tag) };
  const said = { reason: '…', code: 'none' };
  const about = (...notices: Parameters<typeof noticeOf>[]) =>
    noticeMails(
      notices.map(([job, kind]) => noticeOf(job, kind, said)),
      sender,
    );
  const issued = { admin_key_issued: '2026-01-01', admin_key_max_age: 90 * 86_400_000 };
  return [
    ...about(['pull-logs', 'failed']),
    ...about(['pull-logs', 'missed']),
    ...about(['pull-logs', 'recovered']),
    ...about(['pull-logs', 'late'], ['spend', 'late'], ['archive', 'failed']),
    ...about(['pull-logs', 'suspended'], ['spend', 'missed'], ['archive', 'missed'], ['spend', 'recovered']),
    gapMail([gap], 'main', sender),
    gapMail([{ ...gap, gap: money('2'), verdict: 'unexplained' }], 'main', sender),
    learnedMail(changes, 'main', sender),
    adminKeyMail('main', issued, notedAt, sender),
  ].filter((mail) => mail !== undefined);
};

const sent = async (mails: readonly Mail[]): Promise<readonly Read[]> => {
  await using fixture = await openOutboxFixture();
  for (const mail of mails) await fixture.enqueue({ images: [], ...mail });
  const rows = await fixture.outbox.list();
  return Promise.all(rows.map(async ({ file }) => simpleParser(await readFile(join(fixture.folder, file)))));
};

/** Each once: a mail goes to operators and to the owner. */
const shown = (mails: readonly Read[]): string =>
  titled([...new Set(mails.map(mailText))].map((text, index) => [`${index + 1}`, text]));

/** Names, settings and units that every language writes alike. */
const names =
  /Tollkeeper|Tokens?|pull-logs|gpt-5|prod|search|chat|main|UTC|USD|US|DATE|Date(?=[- ])|JOB|Europe\/Berlin|max_requests|revisit|Admin|Key|admin_key(?:_issued)?|gateway\.amounts|since|currency|units|undefined|use_time|tier|spend|archive|billing|file:\/[ab]|SHA|IDs?|NTP|growth|deliver|verify|snapshot|end-idle|rotate|apply|max_overlap|quiet|mail\.to|https?:\S+|\S+@\S+/g;
const english =
  /\b(?:the|is|are|of|and|to|for|with|has|not|from|until|by|at|its|it|this|that|which|data|spend|budget of|no)\b/i;

/** Without commands and names. */
const wordsOf = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/`[^`]+`/g, '')
    .replaceAll(names, '');

const expectLanguage = (tag: LocaleTag, text: string): void => {
  if (tag === 'de') expect(wordsOf(text)).not.toMatch(english);
  if (tag === 'zh') expect(wordsOf(text)).not.toMatch(/[A-Za-z]{2}/);
};

/** Stands for every value that a text contains. */
const anything: unknown = new Proxy(() => anything, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '7' : anything),
});

/** Moments and scopes need values of their own. */
const valued = new Set(['at', 'range', 'period', 'scope', 'orphan-retained', 'held']);

const textsIn = (value: unknown): readonly string[] => {
  if (value === anything) return [];
  if (typeof value === 'string') return [value];
  if (typeof value === 'function')
    return textsIn((value as (...given: unknown[]) => unknown)(anything, anything, anything));
  return Object.entries(value ?? {}).flatMap(([name, each]) => (valued.has(name) ? [] : textsIn(each)));
};

describe.each(localeTags)('mails in %s', (tag) => {
  it('of alerts and outages say so in their language, without a word of another', async () => {
    const [alerts, outages] = [await alertMails(tag), await sent(outageMails(tag))];
    await expect(shown(alerts)).toMatchFileSnapshot(approved('mails/alerts', tag));
    await expect(shown(outages)).toMatchFileSnapshot(approved('mails/outages', tag));
    for (const mail of [...alerts, ...outages]) {
      expect(mail.html).toContain(`<html lang="${localeOf(tag).lang}"`);
      expectLanguage(tag, `${mail.subject}\n${mail.text}`);
    }
  });

  it('of keys and plans say so in their language, without a word of another', async () => {
    const { matters, plans } = keyMails(tag);
    const keys = await sent(matters);
    await expect(shown(keys)).toMatchFileSnapshot(approved('mails/keys', tag));
    await expect(shown(plans)).toMatchFileSnapshot(approved('mails/plans', tag));
    for (const { subject, html, text } of [...keys, ...plans]) {
      expect(html).toContain(`<html lang="${localeOf(tag).lang}"`);
      expectLanguage(tag, `${subject}\n${text}`);
    }
  });

  it('of keys say the same in chats, where no line is broken', () => {
    const withoutSpace = (text: string): string => text.replaceAll(/\s/g, '');
    for (const { paragraphs = [], text } of keyMails(tag).matters) {
      expect(withoutSpace(paragraphs.join(''))).toBe(withoutSpace(text));
      expect(paragraphs.join('\n')).not.toMatch(/\p{Script=Han} \p{Script=Han}/u);
    }
  });

  it('have no text in another language', async () => {
    const { mails, outages, keys, plans } = localeOf(tag);
    const alerts = await Promise.all(
      alertRules.map(
        async ({ name }): Promise<unknown> => import(`../../src/jobs/alert/rules/${name}/texts.${tag}.ts`),
      ),
    );
    const texts = textsIn({ lines: mails.lines, alerts, outages, keys, plans });
    expect(texts.length).toBeGreaterThan(190);
    for (const text of texts) expectLanguage(tag, text);
  });

  it('show hostile names as plain text in lines of limited width', async () => {
    const sender = { ...deps(jobNamed(hostile)), locale: localeOf(tag) };
    const [mail] = noticeMails([noticeOf(hostile, 'failed', { reason: hostile })], sender);
    for (const each of [mail, ...hostileKeyMails(tag, hostile)]) {
      expect(each?.html).not.toMatch(/<img|<script/);
      expect(`${each?.html}${each?.text}`).not.toContain('\u202E');
      for (const line of each?.text.split('\n') ?? []) expect(widthOf(line)).toBeLessThanOrEqual(72);
    }
    const [faults] = configMails(sender);
    expect(faults?.text).toContain(localeOf(tag).mails.lines.fault);
  });
});

it('the locale of the configuration is the language of outage mails', async () => {
  await using town = await openTown('2026-11-20T12:00:00Z');
  const file = 'config/tollkeeper.yaml';
  await town.folder.write(file, `${await readFile(join(town.folder.path, file), 'utf8')}locale: de\n`);
  await town.jobs(
    'pull-logs: { kind: pull-logs, since: 2026-11-19, schedule: "7 * * * *", retries: { limit: 0 }, notify: [failed] }',
  );
  const daemon = await town.serve();
  town.sandbox.faults.plant({ path: '/api/log/self/stream-export', kind: 'status', status: 403, times: 1 });
  town.clock.set(Date.parse('2026-11-20T12:07:01Z'));
  await daemon.line({ job: 'pull-logs', message: 'the run failed' });
  const [failed] = await town.mails(daemon, 1);
  expect(failed?.parsed.subject).toBe('Tollkeeper: pull-logs ist fehlgeschlagen');
});
