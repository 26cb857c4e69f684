import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  absoluteMoney,
  compareMoney,
  localeTags,
  money,
  multiplyMoney,
  subtractMoney,
  type LocaleTag,
} from '../../../src/core/index.ts';
import { parseYaml } from '../../../src/core/yaml.ts';
import { composeReport, type ComposedReport } from '../../../src/jobs/index.ts';
import { all, parseHtml, tablesOf, textOf } from '../../reports/markup.ts';
import { readShown } from '../../reports/read-shown.ts';
import { openJobFixture, type JobFixture } from '../../support/job-fixture.ts';
import { mailsIn, reportPlaces } from './report-fixture.ts';

const period = { from: '2026-10-26', to: '2026-11-16' };

const textsOf = async (tag: LocaleTag): Promise<ReadonlyMap<string, string>> => {
  const path = new URL(`../../../reports/spend-summary/texts.${tag}.yaml`, import.meta.url);
  return new Map(Object.entries(parseYaml(await readFile(path, 'utf8')).value as Record<string, string>));
};

/** Whether a shown number is the exact one, rounded to what is shown. */
const isRounded = (text: string, exact: string, tag: LocaleTag): boolean => {
  const { value, unit } = readShown(text.replace(/^[+▲▼] ?/, ''), tag);
  const off = absoluteMoney(subtractMoney(value, money(exact)));
  return compareMoney(multiplyMoney(off, money('2')), unit) <= 0;
};

describe('a report over the sandbox’s data', () => {
  let fixture: JobFixture;
  const built = new Map<LocaleTag, ComposedReport>();
  beforeAll(async () => {
    fixture = await openJobFixture();
    await fixture.run('pull-logs', { since: '2026-10-20' });
    for (const locale of localeTags)
      built.set(locale, await composeReport({ report: 'spend-summary', period, locale }, fixture.context));
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  const reportIn = (tag: LocaleTag): ComposedReport => {
    const report = built.get(tag);
    if (report === undefined) throw new RangeError(tag);
    return report;
  };

  it.each(['de', 'zh'] as const)('shows the exact figures of the English one, rounded: %s', async (tag) => {
    const { model, rendered } = reportIn(tag);
    const english = reportIn('en').model;
    const texts = await textsOf(tag);
    const tables = tablesOf(parseHtml(rendered.html));
    expect(model.headline.value.exact).toBe(english.headline.value.exact);
    expect(textOf(parseHtml(rendered.html))).toContain(model.headline.value.text);
    let read = 0;
    for (const section of english.sections) {
      if (section.kind !== 'table') continue;
      const shown = tables.get(texts.get(section.title) ?? '') ?? [];
      const columns = section.columns
        .map((column, at) => ({ ...column, at }))
        .filter(({ role }) => role !== 'bar' && role !== 'trend');
      expect(shown[0]).toEqual(columns.map(({ label }) => texts.get(label)));
      expect(shown).toHaveLength(section.rows.length + 1);
      for (const [index, row] of section.rows.entries())
        for (const [place, { at, role }] of columns.entries()) {
          const exact = row.cells[at]?.exact ?? null;
          const text = shown[index + 1]?.[place] ?? '';
          if (exact === null || role === 'change') continue;
          expect(isRounded(text, exact, tag), `${text} is ${exact}`).toBe(true);
          read += 1;
        }
    }
    expect(read).toBeGreaterThan(100);
  });

  it.each(['de', 'zh'] as const)('contains no text of the English report: %s', async (tag) => {
    const { rendered } = reportIn(tag);
    const texts = [...(await textsOf(tag))];
    const shown = `${rendered.subject}\n${rendered.preheader}\n${rendered.text}\n${textOf(parseHtml(rendered.html))}`;
    for (const [english, other] of texts)
      if (english.length > 8 && !other.includes(english) && !english.includes('{'))
        expect(shown).not.toContain(english);
    for (const sentence of [
      'Data reaches',
      'Amounts in',
      'Sums are',
      'Run ',
      'The log',
      'total',
      'Highest',
      ' of ',
      ' the ',
    ])
      expect(shown).not.toContain(sentence);
  });

  it('names its language and a font that has its letters', () => {
    const root = (tag: LocaleTag) =>
      all(parseHtml(reportIn(tag).rendered.html), 'html')[0]?.attributes.get('lang');
    expect(localeTags.map(root)).toEqual(['en', 'de', 'zh-CN']);
    expect(reportIn('zh').rendered.html).toContain("'PingFang SC','Microsoft YaHei','Noto Sans CJK SC'");
    expect(reportIn('en').rendered.html).not.toContain('PingFang');
  });

  it('describes every picture in its language', () => {
    for (const { alt } of reportIn('zh').rendered.images) expect(alt).toMatch(/合计.*最高.*最低/);
    expect(reportIn('zh').rendered.images.length).toBeGreaterThan(0);
  });

  it('has the language of its job, or else that of the config', async () => {
    const { folder, change } = await reportPlaces();
    const settings = { report: 'spend-summary', period, mail: { to: ['a@example.com'] } };
    const run = (name: string, more: object) =>
      fixture.run('report', { ...settings, ...more }, { ...change, locale: 'zh', name });
    await run('chinese', {});
    await run('german', { locale: 'de' });
    const mails = await mailsIn({ context: fixture.context, folder });
    const subjects = new Map(mails.map(({ row, parsed }) => [row.kind, parsed.subject]));
    expect(subjects.get('report:chinese')).toMatch(/^AI 支出 · 2026年10月26日 – 11月15日 · US\$/);
    expect(subjects.get('report:german')).toMatch(/^KI-Kosten · 26\.10\. – 15\.11\.2026 · /);
  });
});
