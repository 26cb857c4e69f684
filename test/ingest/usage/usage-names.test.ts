import { describe, expect, it } from 'vitest';
import { interval, unixMillis } from '../../../src/core/index.ts';
import { pullUsage } from '../../../src/ingest/index.ts';
import { chunksOf } from '../call-log/log-source.ts';
import { openIn, testFolder } from '../support.ts';
import { day, start, usagePullOf } from './usage-source.ts';

const seconds = start / 1000;
const all = interval(unixMillis(0), unixMillis(4_000_000_000_000));
const series = { account: 'main', dimension: 'token', metric: 'spend', granularity: 'day' as const };

/** Pulls one body after the other over the same ten days, and gives what is held: entry and value by bucket. */
const pulled = async (...bodies: readonly string[]): Promise<readonly (readonly string[])[]> => {
  await using folder = await testFolder();
  await using warehouse = await openIn(folder);
  const stored = async () =>
    (await warehouse.usage.values(series, all)).map(({ bucket, entry, value }) => [
      String((bucket - start) / day),
      entry,
      value,
    ]);
  for (const body of bodies) {
    const before = await stored();
    const change = { dimensions: ['token'], topN: 100, revisitDays: 30 };
    const fetchUsage = async () => ({ body: chunksOf(body, 100) });
    await pullUsage(usagePullOf(warehouse, { fetchUsage }, start + 10 * day, change)).catch(
      async (error: unknown) => {
        expect(await stored()).toEqual(before);
        throw error;
      },
    );
  }
  return stored();
};

describe('a key name that looks like something else', () => {
  it.each([
    [
      'Total, in a long layout',
      `time,token,value\n${start},a,20\n${start},Total,10\n${start + day},total,50\n`,
      [
        ['0', 'Total', '10'],
        ['0', 'a', '20'],
        ['1', 'total', '50'],
      ],
    ],
    [
      'Total, beside a total of their own',
      `time,a,Total,Total\n${start},2,1,3\n${start + day},,5,5\n`,
      [
        ['0', 'Total', '1'],
        ['0', 'a', '2'],
        ['1', 'Total', '5'],
      ],
    ],
    [
      'a value, in a wide layout of two entries',
      `time,prod,cost\n${start},2,1\n`,
      [
        ['0', 'cost', '1'],
        ['0', 'prod', '2'],
      ],
    ],
    [
      'a time, before the time',
      `token,time,value\n${seconds + 5},${start},2\nb,${start},1\n`,
      [
        ['0', String(seconds + 5), '2'],
        ['0', 'b', '1'],
      ],
    ],
    ['a time, in a wide layout', `time,${seconds}\n${start},2\n`, [['0', String(seconds), '2']]],
    ['numbers, in a long layout', `time,token,value\n${start},42,1\n`, [['0', '42', '1']]],
  ])('is stored as a name: %s', async (_, body, stored) => {
    expect(await pulled(body)).toEqual(stored);
  });

  it('that no layout fits is named with the first line of the export', async () => {
    await expect(pulled('alpha,beta\n1,2\n')).rejects.toThrow('the usage export begins with "alpha,beta"');
  });

  it.each([
    [
      'a total that is less than its entries, or an entry of that name',
      `time,a,Total\n${start},20,10\n`,
      'usage-layout-unknown',
    ],
    [
      'a bucket far away',
      `time,token,value\n${start},a,2\n${start - 90 * day},a,1\n`,
      'export-timestamp-unreadable',
    ],
  ])('that is ambiguous is reported: %s', async (_, body, code) => {
    await expect(pulled(body)).rejects.toMatchObject({ code });
  });
});

it('an export without a figure removes no stored figure', async () => {
  const good = `time,token,value\n${start},a,2\n`;
  for (const bad of ['', 'time,token,value\n'])
    await expect(pulled(good, bad)).rejects.toMatchObject({ code: 'export-truncated' });
  expect(await pulled('time,token,value\n', good)).toHaveLength(1);
});
