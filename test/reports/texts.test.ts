import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { localeTags } from '../../src/core/index.ts';
import { approved } from '../support/approved.ts';
import { inLocale, loadReport } from '../../src/reports/index.ts';
import type { LoadedReport } from '../../src/reports/definition/load.ts';

const report = `title: Mine
subject: "{title} · {total}"
preheader: "Now {verdict}"
headline: { label: Spend, sql: a.sql, name: spend }
sections:
  - kind: table
    title: Models
    sql: a.sql
    other: "{count} other models"
    columns:
      - { label: Model, name: text, format: text, empty: (none) }
      - { label: Spend, name: spend, format: money }
  - { kind: text, title: About, text: Asked of finance. }
`;

const chinese = `Mine: 我的
Now {verdict}: 现在 {verdict}
Spend: 支出
Models: 模型
"{count} other models": 其他 {count} 个模型
Model: 模型
(none): （无）
About: 说明
Asked of finance.: 由财务提出。
`;

const load = (files: Readonly<Record<string, string>>): Promise<LoadedReport> =>
  loadReport('mine', async (path) => {
    const all: Readonly<Record<string, string>> = { 'report.yaml': report, 'a.sql': 'SELECT 1', ...files };
    const text = all[path.replace('mine/', '')];
    if (text === undefined) throw Object.assign(new Error('gone'), { code: 'ENOENT' });
    return text;
  });

const reported = ({ faults }: LoadedReport): string[] =>
  faults.map(({ file, line, column, message }) => `${file.slice(5)}:${line}:${column}: ${message}`);

describe('texts in another language', () => {
  test('replace those of report.yaml and change nothing else', async () => {
    const { report: loaded, faults } = await load({ 'texts.zh.yaml': chinese });
    expect(faults).toEqual([]);
    if (loaded === undefined) throw new Error('not loaded');
    const { title, preheader, subject, headline, sections, queries } = inLocale(loaded, 'zh');
    expect([title, subject, preheader]).toEqual(['我的', '{title} · {total}', '现在 {verdict}']);
    expect(headline).toEqual({ ...loaded.headline, label: '支出' });
    expect(queries).toBe(loaded.queries);
    const [table, text] = sections;
    expect(table).toMatchObject({
      title: '模型',
      other: '其他 {count} 个模型',
      columns: [
        { label: '模型', name: 'text', format: 'text', empty: '（无）' },
        { label: '支出', name: 'spend', format: 'money' },
      ],
    });
    expect(text).toMatchObject({ title: '说明', text: '由财务提出。' });
  });

  test('a report without them uses its own texts', async () => {
    const { report: loaded } = await load({ 'texts.zh.yaml': chinese });
    if (loaded === undefined) throw new Error('not loaded');
    expect(inLocale(loaded, 'de').title).toBe('Mine');
    expect(inLocale(loaded, 'en').title).toBe('Mine');
    const { report: bare } = await load({});
    expect(bare === undefined ? '' : inLocale(bare, 'zh').title).toBe('Mine');
  });

  test('all faults are reported at once, each with its position', async () => {
    const texts = chinese
      .replace('Mine: 我的\n', '')
      .replace('现在 {verdict}', '现在 {verdikt}')
      .replace('Models: 模型', 'Modells: 模型')
      .replace('其他 {count} 个模型', '其他 {anzahl} 个模型')
      .replace('About: 说明', 'About:')
      .replace('（无）', `"${'无'.repeat(61)}"`);
    await expect(`${reported(await load({ 'texts.zh.yaml': texts })).join('\n')}\n`).toMatchFileSnapshot(
      approved('reports/translation-faults'),
    );
  });

  test('a sentence about a row uses only the columns that it uses in report.yaml', async () => {
    const about = 'Asked of {who} for {spend:money}.';
    const yaml = { 'report.yaml': report.replace('text: Asked of finance.', `sql: a.sql, text: '${about}'`) };
    const texts = (output: string) =>
      chinese.replace('Asked of finance.: 由财务提出。', `'${about}': '${output}'`);
    expect(reported(await load({ ...yaml, 'texts.zh.yaml': texts('{who}：{spend:tokens}。') }))).toEqual([]);
    expect(reported(await load({ ...yaml, 'texts.zh.yaml': texts('{谁}：{money}。') }))).toEqual([
      expect.stringMatching(/^texts\.zh\.yaml:9:38: .*\{谁\}/),
      'texts.zh.yaml:9:38: unknown field {谁}; known is {who}, {spend}',
      'texts.zh.yaml:9:38: unknown field {money}; known is {who}, {spend}',
    ]);
  });

  test.each([
    ['no map', '- a\n', 'texts.de.yaml:1:1: must be a map'],
    ['broken YAML', 'Mine: [a\n', 'texts.de.yaml:2:1: '],
    ['nothing at all', '', 'report.yaml:1:8: texts.de.yaml has no words for "Mine"'],
    ['a key twice', 'Mine: a\nMine: b\n', 'texts.de.yaml:2:1: '],
  ])('are rejected with the place of the fault: %s', async (_, text, fault) => {
    const { report: loaded, ...rest } = await load({ 'texts.de.yaml': text });
    expect(loaded).toBe(undefined);
    expect(reported(rest)[0]).toContain(fault);
  });

  test('a fault of report.yaml itself is reported alone', async () => {
    const faults = reported(
      await load({ 'report.yaml': report.replace('Mine', '7'), 'texts.zh.yaml': chinese }),
    );
    expect(faults).toEqual([expect.stringMatching(/^report\.yaml:1:8: title/)]);
  });
});

test('every shipped report is translated into Chinese', async () => {
  const root = fileURLToPath(new URL('../../reports', import.meta.url));
  const folders = (await readdir(root, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const { name } of folders) {
    const { report: loaded, faults } = await loadReport(`${root}/${name}`, (path) => readFile(path, 'utf8'));
    expect(faults).toEqual([]);
    expect(loaded?.translations?.get('zh')?.title).toMatch(/\p{Script=Han}/u);
  }
  expect(localeTags).toContain('zh');
});
