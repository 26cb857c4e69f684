import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { openCallFixture } from '../support/fixture.ts';

/** Each endpoint that costs: its flags, and the model and price it is booked with. */
const calls: readonly (readonly [argv: readonly string[], model: string, price: string])[] = [
  [
    ['messages', '--model', 'claude-haiku-4-5', '--message', 'Hello', '--max-tokens', '10'],
    'claude-haiku-4-5',
    '0.000056',
  ],
  [
    ['messages', '--model', 'gpt-4.1', '--message', 'Hello', '--max-tokens', '7', '--no-stream'],
    'gpt-4.1',
    '0.000068',
  ],
  [
    ['embeddings', '--model', 'text-embedding-3-small', '--input', 'one text', '--input', 'two'],
    'text-embedding-3-small',
    '0.00000006',
  ],
  [
    ['generate-image', '--model', 'gpt-image-1', '--prompt', 'abcd', '--size', '100x100'],
    'gpt-image-1',
    '0.000405',
  ],
  [['edit-image', '--prompt', 'x'], 'edit-context-pro', '0.04'],
  [['imagine', '--prompt', 'x', '--no-wait'], 'imagine-fast', '0.04'],
  [['blend', '--image', 'in.png', '--image', 'in.png', '--no-wait'], 'imagine-fast', '0.04'],
  [['describe', '--link', 'https://a.example/1.png', '--no-wait'], 'imagine-fast', '0.04'],
  [['upload-images', '--image', 'in.png'], 'image-upload', '0.001'],
  [['create-persona', '--root-clip-id', 'clip-one', '--name', 'x'], 'music-persona', '0.02'],
  [['upload-audio', '--url', 'https://a.example/1.mp3', '--no-wait'], 'music-v4', '0.1'],
  [['concat', '--clip-id', 'clip-one', '--no-wait'], 'music-v4', '0.1'],
];

/** Reads cost nothing. */
const reads: readonly (readonly string[])[] = [
  ['feed', '--clip-id', 'clip-one'],
  ['image-task', '--id', '17000000000001'],
  ['music-task', '--task-id', 'task-00000004'],
];

const grains = (amount: string): bigint => {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(8, '0').slice(0, 8));
};

it('a report has the cost of a call of each endpoint to the last decimal', async () => {
  await using fixture = await openCallFixture();
  await fixture.folder.write('in.png', '\x89PNG');
  await fixture.folder.write(
    'config/reports/calls/report.yaml',
    `title: Calls
sections:
  - kind: table
    title: Models
    sql: models.sql
    columns:
      - { label: Model, name: model_name, format: text }
      - { label: Calls, name: calls, format: integer }
      - { label: Spend, name: spend, format: money }
`,
  );
  await fixture.folder.write(
    'config/reports/calls/models.sql',
    `SELECT model_name, sum(calls) AS calls, sum(spend) AS spend FROM cube
WHERE period = 'current' AND token_name = 'mine' AND kind = 'consumption' GROUP BY model_name ORDER BY model_name
`,
  );
  for (const [argv] of calls) expect(await fixture.call(...argv)).toMatchObject({ code: 0 });
  const taskId =
    /image task (\d+)/.exec((await fixture.call('imagine', '--prompt', 'x', '--no-wait')).stdout)?.[1] ?? '';
  fixture.clock.advance(10_000);
  const shown = await fixture.call('image-task', '--id', taskId);
  const customId = /MJ::JOB::upsample::1::\w+/.exec(shown.stdout)?.[0] ?? '';
  expect((await fixture.call('action', '--task-id', taskId, '--custom-id', customId, '--no-wait')).code).toBe(
    0,
  );
  for (const argv of reads) expect((await fixture.call(...argv)).code).toBe(0);

  const expected = new Map<string, { calls: number; spend: bigint }>();
  const twice = [['imagine-fast', '0.04'] as const, ['imagine-fast', '0.04'] as const];
  for (const [model, price] of [...calls.map(([, model, price]) => [model, price] as const), ...twice]) {
    const { calls: count, spend } = expected.get(model) ?? { calls: 0, spend: 0n };
    expected.set(model, { calls: count + 1, spend: spend + grains(price) });
  }
  fixture.clock.advance(86_400_000);
  expect(await fixture.run(['run', 'pull-logs'])).toMatchObject({ code: 0 });
  const built = await fixture.run(
    'report calls --period 2026-11-20..2026-11-21 --out out --attach csv'.split(' '),
  );
  expect(built).toMatchObject({ code: 0, stderr: expect.not.stringContaining('what to do') as string });
  const csv = await readFile(join(fixture.folder.path, 'out', 'calls-models.csv'), 'utf8');
  const rows: Record<string, string>[] = parse(csv, { columns: true, bom: true });
  const found = rows.map(
    (row) =>
      [row['Model'] ?? '', { calls: Number(row['Calls']), spend: grains(row['Spend'] ?? '') }] as const,
  );
  expect(new Map(found)).toEqual(expected);
});
