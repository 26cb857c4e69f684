import { afterAll, expect, test } from 'vitest';
import { column, exactSum, NOW, open, seconds } from './support.ts';

const box = await open({ months: 2, callsPerDay: 60 });
afterAll(() => box.sandbox.stop());

/** Columns of tokens, and prices in cents a million of them: first those of the prompt, then those of the completion. */
const priced = ['prompt', 'cached', 'cache_write', 'audio_input', 'image', 'completion', 'audio_output'];
const prices: Record<string, readonly number[]> = {
  'gpt-4.1': [200, 50, 0, 0, 200, 800, 0],
  'gpt-4.1-mini': [40, 10, 0, 0, 0, 160, 0],
  'o4-mini': [110, 28, 0, 0, 0, 440, 0],
  'gpt-4o-audio-preview': [250, 0, 0, 4000, 0, 1000, 8000],
  'claude-sonnet-4-5': [300, 30, 375, 0, 300, 1500, 0],
  'claude-haiku-4-5': [100, 10, 125, 0, 0, 500, 0],
  'gemini-2.5-flash': [30, 3, 0, 0, 30, 250, 0],
  'deepseek-chat': [28, 3, 0, 0, 0, 42, 0],
  'text-embedding-3-small': [2, 0, 0, 0, 0, 0, 0],
};

test('every charge follows from the token columns and the price of the model, and an error costs nothing', async () => {
  const { rows } = await box.log();
  const used = new Set<string>();
  const wrong = rows.filter((row) => {
    const { type, model_name = '', quota = '' } = row;
    if (type === 'error') return quota !== '0';
    if (type !== 'consumption') return false;
    if (prices[model_name] === undefined) return quota !== '0.04' && quota !== '0.1';
    for (const name of [...priced, 'reasoning']) if (Number(row[`${name}_tokens`]) > 0) used.add(name);
    const [prompt = 0, ...counts] = priced.map((name) => Number(row[`${name}_tokens`]));
    const [cached = 0, write = 0, audio = 0, image = 0, completion = 0, spoken = 0] = counts;
    const text = prompt - audio - image - (model_name.startsWith('claude') ? 0 : cached + write);
    const cents = [text, cached, write, audio, image, completion - spoken, spoken]
      .map((tokens, at) => tokens * (prices[model_name]?.[at] ?? 0))
      .reduce((sum, cost) => sum + cost);
    return exactSum([quota]) !== BigInt(cents) * 10n || Number(row['reasoning_tokens']) > completion;
  });
  expect(wrong).toEqual([]);
  expect(used).toEqual(new Set([...priced, 'reasoning']));
});

test('the log export is CSV with a byte-order mark and no envelope, of the requested columns, each once (G6.2, G6.2.Content-Type)', async () => {
  const { headers, text, header } = await box.log();
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect([text.startsWith('\uFEFFcreated_at,'), text.endsWith('\n')]).toEqual([true, true]);
  expect((await box.log({ columns: '' })).header).toEqual(header);
  const asked = await box.log({ columns: 'quota, model_name,created_at,quota' });
  expect(asked.header.join()).toBe('quota,model_name,created_at');
});

test('the log export contains hostile names and texts unchanged, and rows that are empty', async () => {
  const plain = ['a,b', 'say "x"', 'two\nlines', 'cr\r\nlf', ' blank ', '数据 🚀', '-1', "'"];
  const names = [...plain, '=HYPERLINK("http://x")'];
  for (const name of names) await box.embed((await box.createKey({ name })).key);
  const truth = box.sandbox.truth.rows(0, seconds(NOW) + 1).map(({ token }) => token);
  expect(truth).toEqual(expect.arrayContaining([...names, 'team <b>"x", =1+1', '']));
  expect(column(await box.log({ columns: 'token_name' }), 'token_name')).toEqual(truth);
  const all = await box.log();
  expect(column(all, 'token_name')).toEqual(truth);
  expect(all.rows.every((row) => Object.keys(row).length === all.header.length)).toBe(true);
  expect(column(all, 'content').some((text) => text.includes('\n'))).toBe(true);
  const errors = all.rows.filter(({ type }) => type === 'error');
  expect((await box.log({ status: 'error' })).rows).toEqual(errors);
});
