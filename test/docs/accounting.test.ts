import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { money, roundMoney, type Money } from '../../src/core/index.ts';
import { chargesOf, columnsOf, type FocusCharge, type FocusExport } from '../../src/focus/index.ts';
import { journalOf } from '../../src/jobs/index.ts';
import type { ClosedRow } from '../../src/warehouse/index.ts';

const page = await readFile(new URL('../../docs/accounting.md', import.meta.url), 'utf8');
const example = page.slice(page.indexOf('## A month from the log to the ledger'));

/** The rows of a table by its heads, as written. */
const tableWith = (head: string): readonly Readonly<Record<string, string>>[] => {
  const lines = example.slice(example.indexOf(`| ${head} |`)).split('\n');
  const cellsOf = (line = ''): readonly string[] =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''));
  const names = cellsOf(lines[0]);
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines
    .slice(2, end)
    .map((line) => Object.fromEntries(cellsOf(line).map((cell, at) => [names[at] ?? '', cell])));
};

const noTags = { environment: null, product: null, owner: null };
const owners = {
  search: { team: null, tags: { ...noTags, cost_center: '4711' } },
  studio: { team: null, tags: { ...noTags, cost_center: null } },
};

const rows = tableWith('day').map((row): ClosedRow => {
  const [input, output] = [/(\d+) input/, /(\d+) output/].map((form) => form.exec(row['tokens'] ?? '')?.[1]);
  return {
    day: row['day'] ?? '',
    model: row['model'] ?? '',
    key: row['service'] ?? '',
    service: row['service'] ?? '',
    kind: row['kind'] === 'refund' ? 'refund' : 'consumption',
    calls: Number(row['calls']),
    charge: money(row['charge'] ?? ''),
    unstatedCalls: 0,
    tokens:
      input === undefined || output === undefined
        ? {}
        : { input_uncached_tokens: BigInt(input), output_plain_tokens: BigInt(output) },
  };
});

it('the worked month of the page for accounting is exported as its page says', () => {
  const charges = chargesOf(rows, [], {
    ownerOf: (key) => (key === 'search' ? owners.search : owners.studio),
    pricesOf: (_, model) =>
      model === 'gpt-5' ? { input_uncached_tokens: money('2'), output_plain_tokens: money('8') } : undefined,
    unit: money('0.000001'),
  });
  const shown = tableWith('`SkuPriceId`');
  const names = Object.keys(shown[0] ?? {});
  const cells = (charge: FocusCharge): Readonly<Record<string, string>> =>
    Object.fromEntries(
      columnsOf('1.4').flatMap((column) =>
        names.includes(column.name) && 'cell' in column
          ? [[column.name, column.cell(charge, {} as FocusExport) ?? '']]
          : [],
      ),
    );
  expect(charges.map(cells)).toEqual(shown);
});

it('the worked month of the page for accounting is posted as its page says', () => {
  const lines = journalOf(
    rows.map((row) => ({
      name: row.key === 'search' ? '4711' : null,
      month: '2026-10',
      amount: row.charge,
    })),
    '2026-10',
    { credit: '1600', by: 'cost_center', accounts: { '4711': '6815' }, other: '6800' },
  );
  const posted = (amount: Money | null): string => (amount === null ? '' : roundMoney(amount, 2));
  expect(
    lines.map(({ account, name, debit, credit, exact }) => ({
      account,
      'cost center': name ?? '',
      debit: posted(debit),
      credit: posted(credit),
      exact,
    })),
  ).toEqual(tableWith('account'));
});
