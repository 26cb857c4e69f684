import { describe, expect, it } from 'vitest';
import { interval, isFault } from '../../../src/core/index.ts';
import { pullLogs } from '../../../src/ingest/index.ts';
import {
  csvOf,
  chunksOf,
  logSource,
  plainStyle,
  seconds,
  type SourceRow,
  type SourceStyle,
} from './log-source.ts';
import { base, openIn, pullOf, testFolder, openNew } from '../support.ts';
import { chaosFactor } from '../../support/storm.ts';

const whole = interval(seconds(0), seconds(4_000_000_000));

const rows: readonly SourceRow[] = [
  { at: base, model: 'é', token: 'two\nlines', prompt: 1, quota: '0.5' },
  { at: base + 1, model: 'total', token: '', prompt: 12, quota: '0.25' },
  { at: base + 2, model: 'm', token: '"k"', prompt: 0, quota: '10.125' },
];
const order = ['created_at', 'model_name', 'token_name', 'prompt_tokens', 'quota'];
const charged = '10.875';

/** Outside a storm every seventeenth byte, and each where a line ends. */
const looked = (body: Buffer, bytes: number): boolean =>
  chaosFactor > 1 ||
  bytes % 17 === 0 ||
  bytes === body.length ||
  /[\r\n]/.test(body.toString('latin1', bytes - 2, bytes));

/** What each cut of the export comes to, by the bytes that are left: the sum that landed, or nothing. */
const cutEverywhere = async (
  change: Partial<SourceStyle>,
): Promise<ReadonlyMap<number, string | undefined>> => {
  const style = { ...plainStyle, bom: false, order, ...change };
  const empty = csvOf([], style);
  const body = Buffer.from(csvOf(rows, style));
  await using folder = await testFolder();
  await using warehouse = await openIn(folder);
  const outcomes = new Map<number, string | undefined>();
  for (let bytes = 0; bytes <= body.length; bytes += 1) {
    if (!looked(body, bytes)) continue;
    const account = `cut-${bytes}`;
    const outcome = await pullLogs(
      pullOf(
        folder,
        warehouse,
        {
          fetchLogs: async ({ columns }) => ({
            body: chunksOf(columns.length === 0 ? empty : body.subarray(0, bytes), 7),
          }),
        },
        { account, columns: order, windowSeconds: 86_400 },
      ),
    ).catch((error: unknown) => error);
    if (outcome instanceof Error && !isFault(outcome)) throw outcome;
    const { net, calls } = await warehouse.spend(account, whole);
    if (outcome instanceof Error) expect([bytes, net, calls]).toEqual([bytes, '0', 0]);
    outcomes.set(bytes, outcome instanceof Error ? undefined : net);
  }
  return outcomes;
};

const landed = (outcomes: ReadonlyMap<number, string | undefined>): readonly (string | undefined)[] =>
  [...outcomes.values()].filter((sum) => sum !== undefined);

describe('an export that ends early without an error', () => {
  it('is rejected at every byte except between two rows, where nothing reveals it', async () => {
    for (const newline of ['\n', '\r\n'] as const)
      expect(landed(await cutEverywhere({ newline }))).toEqual(['0', '0.5', '0.75', charged]);
  });

  it('is rejected at every byte when the gateway writes a total line', async () => {
    expect(landed(await cutEverywhere({ total: true }))).toEqual([charged]);
  });

  it('loses only whole rows when the last line has no line break and the time is the last column', async () => {
    const timeLast = ['model_name', 'token_name', 'prompt_tokens', 'quota', 'created_at'];
    const sums = landed(await cutEverywhere({ endsLines: false, order: timeLast }));
    expect(new Set(sums)).toEqual(new Set(['0', '0.5', '0.75', charged]));
  });
});

it('a single time cut off before its offset is requested again and lands in its hour', async () => {
  const timeLast = ['model_name', 'token_name', 'prompt_tokens', 'quota', 'created_at'];
  const ahead = (at: number): string => `${new Date((at + 28_800) * 1000).toISOString().slice(0, 19)}+08:00`;
  const style = { endsLines: false, order: timeLast, time: ahead };
  const lone = { at: base + 5 * 3600, model: 'm', token: 'k', prompt: 1, quota: '0.5' };
  let answers = 0;
  const source = logSource([lone], style, (body, { columns }) => {
    if (columns.length > 0) answers += 1;
    return columns.length > 0 && answers === 1 ? body.slice(0, -'+08:00'.length) : body;
  });
  const { folder, warehouse } = await openNew();
  await pullLogs(pullOf(folder, warehouse, source, { windowSeconds: 86_400 }));
  const itsHour = interval(seconds(lone.at), seconds(lone.at + 3600));
  expect(await warehouse.spend('main', itsHour)).toMatchObject({ calls: 1, net: '0.5' });
  expect(await warehouse.spend('main', whole)).toMatchObject({ calls: 1 });
});
