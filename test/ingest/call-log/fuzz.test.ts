import { isUtf8 } from 'node:buffer';
import { readdir } from 'node:fs/promises';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isFault, localDays, unknownGateway } from '../../../src/core/index.ts';
import { pullLogs } from '../../../src/ingest/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import {
  chunksOf,
  csvOf,
  plainStyle,
  seconds,
  sumOf,
  type SourceRow,
  type SourceStyle,
} from './log-source.ts';
import { base, openIn, pullOf, testFolder } from '../support.ts';
import { few, chaosFactor } from '../../support/storm.ts';

const rounds = few(8, 15 * chaosFactor);

/** One second is pulled: no shorter window can be asked for instead. */
const second = 1;

const row: fc.Arbitrary<SourceRow> = fc.record({
  at: fc.constantFrom(base, base, base, base - 1, base + 1),
  model: fc.constantFrom('gpt-4o', 'a,b', 'say "hi"', '-dash', 'é', 'total'),
  token: fc.constantFrom('', 'growth-1', '=cmd', 'two\nlines', 'two\r\nlines'),
  prompt: fc.integer({ min: 0, max: 2_000_000 }),
  quota: fc.constantFrom('0.1234', '0', '12', '0.000000000001', '-0.5', '1e-3'),
  extra: fc.constantFrom('', 'note', '"', 'a,b'),
});

const style: fc.Arbitrary<Partial<SourceStyle>> = fc.record({
  newline: fc.constantFrom('\n' as const, '\r\n' as const),
  bom: fc.boolean(),
  title: fc.boolean(),
  total: fc.boolean(),
  guard: fc.boolean(),
  quoteAll: fc.boolean(),
  endsLines: fc.boolean(),
  order: fc.shuffledSubarray(['created_at', 'model_name', 'token_name', 'prompt_tokens', 'quota', 'note'], {
    minLength: 6,
  }),
});

/** Drawn evenly: doubles of fast-check are nearly all next to nothing. */
const share = fc.noBias(fc.integer({ min: 0, max: 100_000 })).map((part) => part / 100_000);
const marks = ['"', ',', '\n', '\r', '\r\n', "'", '""', '",', ',"', ';', '\t', '.', 'e9', '7', '\0', '|'];
/** Bytes that mean something to a reader of CSV, and any others. */
const bytes = fc.oneof(
  fc.constantFrom(...marks).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 4 }).map((list) => Buffer.from(list)),
);

/** Puts other bytes in the place of some; the place and the length as shares of the body. */
type Change = { readonly from: number; readonly length: number; readonly put: Buffer };
const change: fc.Arbitrary<Change> = fc.record({
  from: share,
  length: fc.oneof(fc.constant(0), fc.constant(1), fc.constant(1), fc.integer({ min: 2, max: 40 })),
  put: bytes,
});

type Harm =
  | { readonly kind: 'changes'; readonly changes: readonly Change[] }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'separator'; readonly from: string; readonly to: string }
  | { readonly kind: 'noise'; readonly noise: Uint8Array };

const harm: fc.Arbitrary<Harm> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('changes' as const),
      changes: fc.array(change, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut' as const), at: share }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('separator' as const),
      from: fc.constantFrom(',', '"', '\n'),
      to: fc.constantFrom(';', "'", '\r', '\t', ',', '"'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('noise' as const), noise: fc.uint8Array({ maxLength: 300 }) }),
  },
);

const harmed = (body: Buffer, how: Harm): Buffer => {
  if (how.kind === 'cut') return body.subarray(0, Math.floor(how.at * body.length));
  if (how.kind === 'noise') return Buffer.from(how.noise);
  if (how.kind === 'separator')
    return Buffer.from(body.toString('latin1').replaceAll(how.from, how.to), 'latin1');
  return how.changes.reduce<Buffer>((text, { from, length, put }) => {
    const at = Math.floor(from * text.length);
    return Buffer.concat([text.subarray(0, at), put, text.subarray(at + length)]);
  }, body);
};

type Group = { calls: number; prompt: bigint; amounts: string[] };

const csv = (text: string | Buffer): { readonly record: string[]; readonly raw: string }[] =>
  parse(text, {
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n'],
    raw: true,
  }) as never;

/** Where the header ends, and its cells. */
const headerOf = (body: Buffer): { readonly names: readonly string[]; readonly end: number } | undefined => {
  let from = 0;
  for (let line = 1; line <= 20 && from < body.length; line += 1) {
    const at = body.indexOf(10, from);
    const end = at === -1 ? body.length : at + 1;
    try {
      const text = body.toString('utf8', from, end).replace('\uFEFF', '');
      const names = csv(text)[0]?.record.map((cell) =>
        cell
          .trim()
          .replace(/^'/, '')
          .toLowerCase()
          .replaceAll(/[\s-]+/g, '_'),
      );
      if (names !== undefined && names.length > 1 && names.includes('created_at')) return { names, end };
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
    }
    from = end;
  }
  return undefined;
};

/** 12 decimals at most, as plain text. */
const plainAmount = (text: string): string | undefined => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,3}))?$/.exec(text) ?? [];
  if (whole + fraction === '') return undefined;
  const shift = Number(exponent);
  const digits = whole + fraction;
  const point = whole.length + shift;
  const padded = point <= 0 ? `${'0'.repeat(1 - point)}${digits}` : digits.padEnd(point, '0');
  const at = point <= 0 ? 1 : point;
  const [left, right] = [padded.slice(0, at).replace(/^0+(?=\d)/, ''), padded.slice(at).replace(/0+$/, '')];
  return left.length > 16 || right.length > 12 ? undefined : `${sign}${left}.${right}`;
};

/** The groups that a strict reading of the rows comes to, or the reason why there is none. `quarantines` leaves bad rows out. */
const strictly = (body: Buffer, quarantines: boolean): ReadonlyMap<string, Group> | string => {
  const header = headerOf(body);
  if (header === undefined) return 'no header';
  const rows = body.subarray(header.end);
  if (!quarantines && !isUtf8(rows)) return 'no UTF-8';
  const guarded = rows.includes("'");
  const at = (name: string): number => header.names.indexOf(name);
  const groups = new Map<string, Group>();
  const records = csv(rows);
  for (const [index, { record }] of records.entries()) {
    const cell = (name: string): string => record[at(name)] ?? '';
    const number = (name: string): string => (guarded ? cell(name).replace(/^'/, '') : cell(name));
    const text = (name: string): string =>
      guarded ? cell(name).replace(/^'(?=[=+@\t\r-])/, '') : cell(name);
    const [time, prompt, amount] = [
      number('created_at'),
      number('prompt_tokens'),
      plainAmount(number('quota')),
    ];
    const good =
      record.length === header.names.length &&
      /^\d{1,11}$/.test(time) &&
      Math.abs(Number(time) - base) <= 62 &&
      (prompt === '' || /^-?\d{1,18}(\.0+)?$/.test(prompt)) &&
      amount !== undefined;
    // A total line is no row; what it says is held against the rows by the pull. With another width, its amount may stand
    // in the column of the time.
    const labelled = record.length !== header.names.length && record.includes('Total');
    const total = index === records.length - 1 && (labelled || !/^\d+$/.test(time));
    if (!good && !quarantines && !total) return `row ${index + 1}: ${JSON.stringify(record)}`;
    if (!good || Number(time) < base || Number(time) >= base + second) continue;
    const key = JSON.stringify([text('model_name'), text('token_name')]);
    const group = groups.get(key) ?? { calls: 0, prompt: 0n, amounts: [] };
    group.calls += 1;
    group.prompt += BigInt(prompt.replace(/\..*/, '') || '0');
    group.amounts.push(amount);
    groups.set(key, group);
  }
  return groups;
};

const read = (body: Buffer, quarantines: boolean): ReadonlyMap<string, Group> | string => {
  try {
    return strictly(body, quarantines);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return error.message;
  }
};

const stored = async (warehouse: Warehouse, account: string): Promise<readonly unknown[]> =>
  warehouse.readCube(
    { account, periods: [{ name: 'current', days: localDays('2025-12-31', '2026-01-02', 'UTC') }] },
    async (query) =>
      (
        await query(
          `SELECT model_name, token_name, sum(rows)::BIGINT AS row_count, coalesce(sum(prompt_tokens), 0) AS prompt, sum(amount) AS amount
           FROM cube GROUP BY ALL`,
        )
      ).rows,
  );

const sorted = (table: readonly unknown[]): readonly string[] =>
  table.map((line) => JSON.stringify(line)).toSorted();

const rowsOf = (groups: ReadonlyMap<string, Group>): readonly unknown[] =>
  [...groups].map(([key, { calls, prompt, amounts }]) => [
    ...(JSON.parse(key) as string[]),
    String(calls),
    String(prompt),
    sumOf(amounts) || '0',
  ]);

/** A total line with a byte that is no UTF-8, in a cell that nothing reads. */
const damagedTotal: [SourceRow[], Partial<SourceStyle>, Harm, 'fail', number] = [
  [],
  {
    bom: false,
    total: true,
    endsLines: false,
    order: ['created_at', 'quota', 'model_name', 'note', 'prompt_tokens', 'token_name'],
  },
  { kind: 'changes', changes: [{ from: 0.95653, length: 1, put: Buffer.from([128]) }] },
  'fail',
  1,
];

/** A header with one more name than the total line has cells. */
const namelessColumn: [SourceRow[], Partial<SourceStyle>, Harm, 'fail', number] = [
  [],
  {
    bom: false,
    total: true,
    endsLines: false,
    order: ['prompt_tokens', 'note', 'token_name', 'model_name', 'created_at', 'quota'],
  },
  { kind: 'changes', changes: [{ from: 0, length: 0, put: Buffer.from(',') }] },
  'fail',
  1,
];

it('a pull of a corrupted export lands what a strict reader reads from the same bytes, or reports the error', async () => {
  await using folder = await testFolder();
  await using warehouse = await openIn(folder);
  let runs = 0;
  const outcomes = { landed: 0, refused: 0 };
  const badRows = fc.constantFrom('fail' as const, 'quarantine' as const);
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 6 }),
      style,
      harm,
      badRows,
      fc.integer({ min: 1, max: 80 }),
      async (rows, change, how, bad, chunk) => {
        runs += 1;
        const account = `run-${runs}`;
        const written = { ...plainStyle, ...change };
        const body = harmed(Buffer.from(csvOf(rows, written)), how);
        const empty = csvOf([], written);
        const fetchLogs = async ({ columns }: { readonly columns: readonly string[] }) => ({
          body: chunksOf(columns.length === 0 ? empty : body, chunk),
        });
        const outcome = await pullLogs(
          pullOf(
            folder,
            warehouse,
            { fetchLogs },
            {
              account,
              until: seconds(base + second),
              columns: written.order,
              profile: { ...unknownGateway, amounts: 'currency', timestamps: 'seconds' },
              badRows: bad,
            },
          ),
        ).catch((error: unknown) => error);
        expect(await readdir(folder.spool)).toEqual([]);
        if (outcome instanceof Error) {
          outcomes.refused += 1;
          if (!isFault(outcome) || !outcome.code.startsWith('export-')) throw outcome;
          expect(await warehouse.logs.windows(account)).toEqual([]);
          return;
        }
        const { quarantined } = outcome as { readonly quarantined: number };
        expect(await warehouse.logs.quarantined(account)).toHaveLength(quarantined);
        outcomes.landed += 1;
        const strict = read(body, bad === 'quarantine' && !body.includes('"'));
        // With quotes, a reader of the whole can't leave single rows out.
        if (bad === 'quarantine' && body.includes('"') && typeof strict === 'string') return;
        if (body.length === 0) return;
        expect(typeof strict === 'string' ? strict : sorted(rowsOf(strict))).toEqual(
          sorted(await stored(warehouse, account)),
        );
      },
    ),
    { numRuns: rounds, examples: [damagedTotal, namelessColumn] },
  );
  // None of the outcomes is unreachable; a few draws may all take the same one.
  const least = rounds > 40 ? Math.min(outcomes.landed, outcomes.refused) : rounds;
  expect(least).toBeGreaterThan(0);
});
