import { simpleParser, type ParsedMail } from 'mailparser';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localeTags, money, unixMillis, unixSeconds, type LocaleTag } from '../../src/core/index.ts';
import { notifyOfResting } from '../../src/jobs/pull-logs/late-notice.ts';
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
} from '../daemon/support/alert-emails.ts';
import { openTown } from '../daemon/support/daemon.ts';
import { hostileKeyMails, keyMails } from './key-mails.ts';
import { budgetOf, openAlertFixture, threshold, type Call } from '../jobs/alert/alert-fixture.ts';
import { openOutboxFixture } from '../notify/support/outbox-fixture.ts';

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

const changeOf = (topic: LearnedChange['topic'], name: string, detail: string): LearnedChange => ({
  topic,
  name,
  detail,
  notedAt,
});
const changes = [
  changeOf('column-appeared', 'tier', ''),
  changeOf('column-appeared', 'use_time', 'use_time'),
  changeOf('column-gone', 'tier', ''),
  changeOf('column-gone', 'use_time', 'use_time'),
  changeOf('amounts-changed', 'units', '2026-11-20 08:57 UTC|stored'),
  changeOf('amounts-changed', 'currency', '2026-11-20 08:57 UTC|converted'),
  changeOf('usage-unit', 'model', '2026-11-20 08:57 UTC|stored'),
  changeOf('usage-unit', 'key', '2026-11-20 08:57 UTC|units'),
  changeOf('kind-unknown', '9', '…'),
  changeOf('rollup-differs', 'UTC', '1|2026-11-20'),
  changeOf('rollup-differs', 'UTC', '1200|2026-11-20'),
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
const subjectsOf = (mails: readonly Read[]): readonly string[] => [
  ...new Set(mails.map(({ subject = '' }) => subject.replace('Tollkeeper: ', '').replaceAll('\u00A0', ' '))),
];

const alertSubjects: Readonly<Record<LocaleTag, readonly string[]>> = {
  en: [
    'Budget search: forecast $6.21, 124% of $5.00',
    'Budget search: $6.00, 120% of $5.00',
    'Budget search is below its threshold again: $3.50, 70% of $5.00',
    'The state of 1 budget is unknown',
    'The state of all budgets is known again',
    'The state of 2 budgets is unknown',
    'The balance of main lasts 1.1 more days',
    'The balance of main suffices again',
    'The call log of main from 2026-11-18 11:06 UTC to 2026-11-18 12:06 UTC lags behind the gateway',
  ],
  de: [
    'Budget search: Prognose 6,21 $ (124 % von 5,00 $)',
    'Budget search: 6,00 $ (120 % von 5,00 $)',
    'Budget search liegt wieder unter der Schwelle: 3,50 $ (70 % von 5,00 $)',
    'Der Status eines Budgets ist unbekannt',
    'Der Status aller Budgets ist wieder bekannt',
    'Der Status von 2 Budgets ist unbekannt',
    'Das Guthaben von main reicht noch 1,1 Tage',
    'Das Guthaben von main reicht wieder aus',
    'Das Aufruf-Log von main liegt vom 18.11.2026, 11:06 UTC bis zum 18.11.2026, 12:06 UTC hinter dem Gateway zurück',
  ],
  zh: [
    '预算 search：预测 US$6.21（US$5.00 的 124%）',
    '预算 search：US$6.00（US$5.00 的 120%）',
    '预算 search 已回落到阈值以下：US$3.50（US$5.00 的 70%）',
    '1 个预算的状态未知',
    '所有预算的状态已重新确定',
    '2 个预算的状态未知',
    '账户 main 的余额还可使用 1.1 天',
    '账户 main 的余额已恢复充足',
    '账户 main 的调用日志落后于网关：2026年11月18日 11:06 UTC 至 2026年11月18日 12:06 UTC',
  ],
};
const outageSubjects: Readonly<Record<LocaleTag, readonly string[]>> = {
  en: [
    'pull-logs failed',
    'pull-logs missed a slot',
    'pull-logs recovered',
    '1 job failed, 2 jobs ran late',
    '1 job is suspended, 2 jobs missed slots, 1 job recovered',
    'The call log of main is missing charges',
    'The call log of main does not reconcile',
    'The call log of main has changed: 2 new columns, 2 removed columns, 2 amount format changes, 2 usage export changes, 1 unknown row kind, 2 repairs of the rollup',
    'The Admin Key of main is 323 days old',
  ],
  de: [
    'pull-logs ist fehlgeschlagen',
    'pull-logs hat einen Slot verpasst',
    'pull-logs läuft wieder',
    '1 Job ist fehlgeschlagen, 2 Jobs liefen verspätet',
    '1 Job ist angehalten, 2 Jobs haben Slots verpasst, 1 Job läuft wieder',
    'Im Aufruf-Log von main fehlen Kosten',
    'Das Aufruf-Log von main stimmt nicht mit dem Gateway überein',
    'Das Aufruf-Log von main hat sich geändert: 2 neue Spalten, 2 entfernte Spalten, 2 Änderungen des Betragsformats, 2 Änderungen des Nutzungsexports, 1 unbekannte Zeilenart, 2 Reparaturen des Rollups',
    'Der Admin-Key von main ist 323 Tage alt',
  ],
  zh: [
    'pull-logs 失败',
    'pull-logs 错过了一次计划运行',
    'pull-logs 已恢复',
    '失败的作业 1 个、运行延迟的作业 2 个',
    '暂停的作业 1 个、错过计划运行的作业 2 个、已恢复的作业 1 个',
    '账户 main 的调用日志缺少费用记录',
    '账户 main 的调用日志未能与网关核对一致',
    '账户 main 的调用日志有变化：新增 2 列、移除 2 列、金额格式变化 2 次、用量导出变化 2 次、未知行类型 1 种、汇总表修复 2 次',
    '账户 main 的 Admin Key 已使用 323 天',
  ],
};

const keySubjects: Readonly<Record<LocaleTag, readonly string[]>> = {
  en: [
    'billing can temporarily spend its quota twice',
    'billing.g7 has no quota left',
    'The quota of billing.g7 was not adjusted',
    'The new key billing.g7 was deleted externally',
    'The key billing.g7 still exists after its deletion',
    'an orphaned key was deleted',
    'key operations of billing are suspended: its journal is out of date',
    'A sink of billing holds a key that no longer works',
    'A step of the rotation of billing failed',
    'The rotation of billing is paused: action required',
    'The rotation of billing is still paused: action required',
    'The key billing.g7 must be confirmed',
    'The rotation of billing is blocked',
    'The old key billing.g6 is retained',
    'The old key billing.g6 cannot be retired, and max_overlap has passed',
    'The old key billing.g6 is still in use and expires soon',
    'The old key billing.g6 expires soon, and its successor does not work',
    'clock skew blocks the deletion of old keys',
    'The old key billing.g6 is retained: a consumer may still hold it',
    'The key billing.g7 is scheduled to end',
    'The key billing.g7 is retained: it may be in use',
    'The owner of the key billing.g7 is unknown',
    'The rotations of main cannot be advanced',
    'The rotations of main advance again',
    'key operations are suspended: the key journal is invalid',
    'The key journal is valid again: rotations advance again',
  ],
  de: [
    'billing kann vorübergehend das Doppelte seines Kontingents verbrauchen',
    'Das Kontingent von billing.g7 ist aufgebraucht',
    'Das Kontingent von billing.g7 wurde nicht angepasst',
    'Der neue Key billing.g7 wurde außerhalb von Tollkeeper gelöscht',
    'Der Key billing.g7 existiert nach seiner Löschung weiter',
    'Ein verwaister Key wurde gelöscht',
    'Key-Vorgänge für billing sind ausgesetzt: Das Journal ist veraltet',
    'Ein Ablageort von billing enthält einen Key, der nicht mehr funktioniert',
    'Ein Schritt der Rotation von billing ist fehlgeschlagen',
    'Die Rotation von billing ist angehalten: Eingreifen erforderlich',
    'Die Rotation von billing ist weiterhin angehalten: Eingreifen erforderlich',
    'Der Key billing.g7 muss bestätigt werden',
    'Die Rotation von billing ist blockiert',
    'Der alte Key billing.g6 bleibt erhalten',
    'Der alte Key billing.g6 kann nicht stillgelegt werden, und max_overlap ist abgelaufen',
    'Der alte Key billing.g6 ist noch in Gebrauch und läuft bald ab',
    'Der alte Key billing.g6 läuft bald ab, und sein Nachfolger funktioniert nicht',
    'Abweichende Uhren verhindern das Löschen alter Keys',
    'Der alte Key billing.g6 bleibt erhalten: Eine Anwendung verwendet ihn möglicherweise noch',
    'Der Key billing.g7 läuft bald ab',
    'Der Key billing.g7 bleibt erhalten: Er ist möglicherweise in Gebrauch',
    'Es ist unbekannt, wem der Key billing.g7 gehört',
    'Die Rotationen von main kommen nicht voran',
    'Die Rotationen von main laufen wieder',
    'Key-Vorgänge sind ausgesetzt: Das Key-Journal ist ungültig',
    'Das Key-Journal ist wieder gültig: Rotationen laufen weiter',
  ],
  zh: [
    'billing 暂时最多可使用 2 倍配额',
    'billing.g7 的配额已用尽',
    'billing.g7 的配额未调整',
    '新密钥 billing.g7 在 Tollkeeper 之外被删除',
    '密钥 billing.g7 删除后仍然存在',
    '已删除一个遗留密钥',
    'billing 的密钥操作已暂停：密钥记录已过时',
    'billing 的存放位置存有失效的密钥',
    'billing 的一个轮换步骤失败',
    'billing 的轮换已暂停：需要处理',
    'billing 的轮换仍处于暂停状态：需要处理',
    '密钥 billing.g7 需要确认',
    'billing 的轮换受阻',
    '旧密钥 billing.g6 予以保留',
    '旧密钥 billing.g6 无法停用，且已超过 max_overlap',
    '旧密钥 billing.g6 仍在使用，且即将过期',
    '旧密钥 billing.g6 即将过期，而新密钥无法使用',
    '时钟存在偏差，暂不删除旧密钥',
    '旧密钥 billing.g6 予以保留：可能仍有应用使用它',
    '密钥 billing.g7 即将过期',
    '密钥 billing.g7 予以保留：可能仍在使用',
    '密钥 billing.g7 归属不明',
    '账户 main 的轮换无法继续',
    '账户 main 的轮换已恢复',
    '密钥操作已暂停：密钥记录无效',
    '密钥记录重新有效：轮换已恢复',
  ],
};
const planSubjects: Readonly<Record<LocaleTag, readonly string[]>> = {
  en: ['…'],
  de: [
    'Plan: 1.200 Keys zu rotieren, 2 übersprungen',
    'Plan: 1 Key mit Vorankündigung, 2 Keys mit Ablaufdatum zu versehen, 1 Key zu löschen',
    'Plan: kein Key zu beenden',
  ],
  zh: [
    '计划：轮换 1,200 个密钥，跳过 2 个',
    '计划：就 1 个密钥发出预告，将 2 个密钥设为过期，删除 1 个密钥',
    '计划：没有密钥需要终止',
  ],
};

/** Names, settings and units that every language writes alike. */
const names =
  /Tollkeeper|pull-logs|gpt-5|prod|search|chat|main|UTC|USD|US|DATE|JOB|Europe\/Berlin|max_requests|revisit|Admin|Key|admin_key(?:_issued)?|gateway\.amounts|since|currency|units|undefined|use_time|tier|spend|archive|billing|file:\/[ab]|SHA|IDs?|NTP|growth|deliver|verify|snapshot|end-idle|rotate|apply|max_overlap|quiet|mail\.to|https?:\S+|\S+@\S+/g;
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
const valued = new Set(['at', 'range', 'period', 'scope', 'orphan-retained']);

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
    expect(subjectsOf(alerts)).toEqual(alertSubjects[tag]);
    expect(subjectsOf(outages)).toEqual(outageSubjects[tag]);
    for (const mail of [...alerts, ...outages]) {
      expect(mail.html).toContain(`<html lang="${localeOf(tag).lang}"`);
      expectLanguage(tag, `${mail.subject}\n${mail.text}`);
    }
  });

  it('of keys and plans say so in their language, without a word of another', async () => {
    const found = keyMails(tag);
    const { plans } = found;
    const [titled, more] = [await sent(found.titled), await sent(found.more)];
    const all = [...titled, ...more, ...plans];
    expect(subjectsOf(titled)).toEqual(keySubjects[tag]);
    expect(subjectsOf(plans)).toEqual(planSubjects[tag]);
    for (const { subject, html, text } of all) {
      expect(html).toContain(`<html lang="${localeOf(tag).lang}"`);
      expectLanguage(tag, `${subject}\n${text}`);
    }
  });

  it('have no text in another language', () => {
    const { mails, alerts, outages, keys, plans } = localeOf(tag);
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
