import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exactSum, NOW, open, seconds, type Box } from './support.ts';

let box: Box;
beforeAll(async () => {
  box = await open({ months: 2, callsPerDay: 60 });
});
afterAll(() => box.sandbox.stop());

/** Prices in dollars a million tokens: text, cached, cache write, audio in, image in, completion, audio out. */
const prices: Record<string, readonly [number, number, number, number, number, number, number]> = {
  'gpt-4.1': [2, 0.5, 0, 0, 2, 8, 0],
  'gpt-4.1-mini': [0.4, 0.1, 0, 0, 0, 1.6, 0],
  'o4-mini': [1.1, 0.28, 0, 0, 0, 4.4, 0],
  'gpt-4o-audio-preview': [2.5, 0, 0, 40, 0, 10, 80],
  'claude-sonnet-4-5': [3, 0.3, 3.75, 0, 3, 15, 0],
  'claude-haiku-4-5': [1, 0.1, 1.25, 0, 0, 5, 0],
  'gemini-2.5-flash': [0.3, 0.03, 0, 0, 0.3, 2.5, 0],
  'deepseek-chat': [0.28, 0.03, 0, 0, 0, 0.42, 0],
  'text-embedding-3-small': [0.02, 0, 0, 0, 0, 0, 0],
};

describe('the body of the log export', () => {
  test('is CSV with a byte-order mark, and no envelope (G6.2, G6.2.Content-Type)', async () => {
    const { headers, text, header } = await box.log();
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(text.startsWith('\uFEFFcreated_at,')).toBe(true);
    for (const name of 'created_at model_name token_name prompt_tokens completion_tokens cached_tokens reasoning_tokens quota'.split(
      ' ',
    )) {
      expect(header).toContain(name);
    }
    expect(text.endsWith('\n')).toBe(true);
  });

  test('contains hostile names and texts unchanged', async () => {
    const names = [
      'a,b',
      'say "x"',
      'two\nlines',
      'cr\r\nlf',
      ' blank ',
      '数据 🚀',
      '=HYPERLINK("http://x")',
      '-1',
      '@a',
      "'",
      '""',
    ];
    for (const name of names) {
      const { key } = await box.createKey({ name });
      expect((await box.embed(key)).status).toBe(200);
    }
    const { rows } = await box.log({ start_timestamp: seconds(NOW), columns: 'quota,token_name' });
    expect(rows.map((row) => row['token_name'])).toEqual(expect.arrayContaining(names));
    const all = await box.log();
    expect(all.rows.every((row) => Object.keys(row).length === all.header.length)).toBe(true);
    expect(all.rows.some((row) => row['token_name'] === 'team <b>"x", =1+1')).toBe(true);
    expect(all.rows.some((row) => row['content']?.includes('\n'))).toBe(true);
  });

  test('contains empty rows', async () => {
    const truth = box.sandbox.truth.rows(0, seconds(NOW) + 1);
    const { rows } = await box.log({ columns: 'token_name' });
    expect(rows.map((row) => row['token_name'])).toEqual(truth.map(({ token }) => token));
  });
});

test('the log export contains the requested columns in order, each once', async () => {
  expect((await box.log({ columns: 'quota, model_name,created_at,quota' })).header).toEqual([
    'quota',
    'model_name',
    'created_at',
  ]);
  expect((await box.log({ columns: '' })).header).toEqual((await box.log()).header);
});

test('every charge follows from the token columns and the price of the model', async () => {
  const { rows } = await box.log();
  const checked = new Set<string>();
  for (const row of rows.filter(({ type }) => type === 'consumption')) {
    const price = prices[row['model_name'] ?? ''];
    if (price === undefined) {
      expect(['0.04', '0.1']).toContain(row['quota']);
      continue;
    }
    const count = (name: string): number => Number(row[name]);
    const [cached, write] = [count('cached_tokens'), count('cache_write_tokens')];
    const inside = row['model_name']?.startsWith('claude') ? 0 : cached + write;
    const text = count('prompt_tokens') - inside - count('audio_input_tokens') - count('image_tokens');
    const spoken = count('audio_output_tokens');
    const counts = [
      text,
      cached,
      write,
      count('audio_input_tokens'),
      count('image_tokens'),
      count('completion_tokens') - spoken,
      spoken,
    ];
    // Cents a million tokens, so that the sum is a whole number of 10^-8 dollars.
    const expected = counts.reduce(
      (sum, tokens, at) => sum + BigInt(tokens) * BigInt(Math.round((price[at] ?? 0) * 100)),
      0n,
    );
    expect(exactSum([row['quota'] ?? ''])).toBe(expected * 10n);
    expect(count('reasoning_tokens')).toBeLessThanOrEqual(count('completion_tokens'));
    for (const [name, value] of Object.entries(row))
      if (name.endsWith('_tokens') && Number(value) > 0) checked.add(name);
  }
  expect(checked).toEqual(
    new Set(
      [
        'prompt',
        'completion',
        'cached',
        'cache_write',
        'reasoning',
        'audio_input',
        'audio_output',
        'image',
      ].map((name) => `${name}_tokens`),
    ),
  );
});

test('the log export filters by model, vendor and status', async () => {
  const all = (await box.log()).rows;
  const only = (name: string, value: string): number => all.filter((row) => row[name] === value).length;
  expect((await box.log({ model_name: 'gpt-4.1' })).rows).toHaveLength(only('model_name', 'gpt-4.1'));
  expect((await box.log({ vendor_id: 2 })).rows).toHaveLength(only('vendor_id', '2'));
  expect((await box.log({ status: 'error' })).rows).toHaveLength(only('status', 'error'));
  expect((await box.log({ status: 'nonsense' })).rows).toHaveLength(0);
  expect(only('status', 'error')).toBeGreaterThan(10);
  const errors = all.filter(({ type }) => type === 'error');
  expect(errors).toHaveLength(only('status', 'error'));
  expect(errors.every(({ quota }) => quota === '0')).toBe(true);
});

test('the log export returns nothing for milliseconds instead of seconds (G1.6, G7.2)', async () => {
  const { rows } = await box.log({ start_timestamp: NOW - 86_400_000, end_timestamp: NOW });
  expect(rows).toHaveLength(0);
  const table = await box.usage({ start_timestamp: seconds(NOW) - 86_400, end_timestamp: seconds(NOW) });
  expect([table.status, table.header, table.rows]).toEqual([200, ['time', 'dimension', 'value'], []]);
});

test('the usage export has other metrics and filters by model', async () => {
  const midnight = Date.UTC(2026, 10, 21);
  const window = {
    start_timestamp: midnight - 10 * 86_400_000,
    end_timestamp: midnight,
    model_name: 'o4-mini',
  };
  const { rows } = await box.log({
    start_timestamp: window.start_timestamp / 1000,
    end_timestamp: midnight / 1000,
    model_name: 'o4-mini',
  });
  const calls = rows.filter(({ type }) => type === 'consumption');
  const sum = (name: string): bigint => exactSum(calls.map((row) => row[name] ?? ''));
  const usage = async (metric: string): Promise<bigint> => {
    const table = await box.usage({ ...window, metric, group_by: 'token' });
    return exactSum(table.rows.map(({ value }) => value ?? ''));
  };
  expect(await usage('count')).toBe(BigInt(calls.length) * 10n ** 9n);
  expect(await usage('prompt_tokens')).toBe(sum('prompt_tokens'));
  expect(await usage('completion_tokens')).toBe(sum('completion_tokens'));
  expect(await usage('tokens')).toBe(sum('prompt_tokens') + sum('completion_tokens'));
});
