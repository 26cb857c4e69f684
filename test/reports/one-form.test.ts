import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  absoluteMoney,
  addDays,
  addMoney,
  compareMoney,
  money,
  multiplyMoney,
  subtractMoney,
  sumMoney,
  zero,
  type Money,
} from '../../src/core/index.ts';
import { formatDifference, localeOf } from '../../src/messages/index.ts';
import { renderReport } from '../../src/reports/index.ts';
import { chaosFactor, few } from '../support/storm.ts';
import type { CubeRow } from './cube.ts';
import { parseHtml, textOf, type Element } from './markup.ts';
import { readShown } from './read-shown.ts';
import { build, shipped } from './sample.ts';

const models = Array.from({ length: 12 }, (_, at) => `model-${String.fromCodePoint(97 + at)}`);
const keys = Array.from({ length: 9 }, (_, at) => `service-${String.fromCodePoint(97 + at)}`);

/** Calls and refunds of seven weeks, from a fraction of a cent to thousands, with days that cost a multiple. */
const rowsOf = fc
  .array(
    fc.record({
      day: fc.integer({ min: 0, max: 49 }),
      model: fc.constantFrom(...models),
      key: fc.constantFrom(...keys, undefined),
      calls: fc.integer({ min: 1, max: 400 }),
      prompt: fc.integer({ min: 0, max: 2_000_000 }),
      completion: fc.integer({ min: 0, max: 90_000 }),
      // Whole numbers of a millionth, of very different sizes.
      spend: fc.tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 0, max: 6 })),
      isRefund: fc.boolean(),
    }),
    { minLength: 20, maxLength: 160 },
  )
  .map((made) =>
    made.map(({ day, model, key, calls, prompt, completion, spend: [digits, power], isRefund }): CubeRow => {
      const amount = multiplyMoney(money(String(digits)), money(`1e${power - 6}`));
      const refund = isRefund && power < 3;
      return {
        quarter: Date.parse(`${addDays('2026-10-01', day)}T11:00:00Z`) / 1000,
        model,
        key: key ?? '',
        kind: refund ? 'refund' : 'consumption',
        calls: refund ? 0 : calls,
        prompt: refund ? 0 : prompt,
        completion: refund ? 0 : completion,
        spend: refund ? `-${amount}` : amount,
      };
    }),
  );

const periods = fc.oneof(
  fc.record({
    period: fc.integer({ min: 15, max: 48 }).map((day) => {
      const from = addDays('2026-10-01', day);
      return `${from}..${addDays(from, 1)}`;
    }),
    comparison: fc.constantFrom('same-weekday' as const, '7-day-average' as const, 'previous' as const),
  }),
  fc.record({
    period: fc.constantFrom('last-7-days', 'last-week', '2026-10-12..2026-10-20', 'month-to-date'),
    comparison: fc.constant('previous' as const),
  }),
);

const reports = fc.constantFrom(...(await Promise.all(['spend-summary', 'digest', 'showback'].map(shipped))));

type Table = { readonly title: string; readonly rows: readonly (readonly string[])[] };

const elementsOf = (node: Element | string, name: string): readonly Element[] =>
  typeof node === 'string'
    ? []
    : [...(node.name === name ? [node] : []), ...node.children.flatMap((child) => elementsOf(child, name))];

/** Rows of the tables of a mail, as the texts of their cells; a bar is a table without text. */
const rowsIn = (html: string): readonly (readonly string[])[] =>
  elementsOf(parseHtml(html), 'tr')
    .filter((row) =>
      elementsOf(row, 'tr')
        .slice(1)
        .every((bar) => textOf(bar).trim() === ''),
    )
    .map((row) =>
      row.children
        .flatMap((cell) =>
          typeof cell === 'string'
            ? []
            : [
                textOf(cell)
                  .replaceAll(/[\s\u00A0\u200C]+/g, ' ')
                  .trim(),
              ],
        )
        .filter((text) => text !== '' && text !== '■'),
    );

/** Sections of the text: a title in capitals, a line of headers, and rows whose cells have two spaces between them. */
const tablesIn = (text: string): readonly Table[] =>
  text.split('\n\n').flatMap((block) => {
    const [title = '', ...lines] = block.split('\n');
    if (!/^[A-Z0-9 ]+$/.test(title) || !lines.some((line) => /^-{5,}$/.test(line))) return [];
    // A long name has its figures in the next line.
    const joined = lines
      .filter((line) => !/^-{5,}$/.test(line))
      .join('\n')
      .replaceAll(/\n(?= )/g, '  ');
    return [{ title, rows: joined.split('\n').map((line) => line.split(/\s{2,}/)) }];
  });

/** Models and keys that the cell of a row names. */
const namesIn = (cell: string): readonly string[] => cell.match(/\b(?:model|service)-\w\b/g) ?? [];

const valueOf = (text: string): Money => readShown(text.replace('+', ''), 'en').value;
const placesOf = (text: string): number => readShown(text.replace('+', ''), 'en').places;

const amount = String.raw`[+-]?\$[\d,]+(?:\.\d+)?`;
const sentence = new RegExp(
  String.raw`(?:Main cause|Cause): (?:the spike of (?<spike>[^,;.]+) on \w+ \d+ ended \()?(?<cause>[^,;]+), (?<part>${amount})(?: of the (?<change>${amount}) (?<way>increase|decrease)|, offset by (?<offset>${amount}) from other causes)?(?:; largest contributor: (?:(?<model>model-\w)(?: on key (?<key>service-\w)| without a key)?|key (?<alone>service-\w)|without a key)(?: \([a-z ]+\))?, ${amount})?\)?\.`,
);

test('a figure has one form in a mail, parts add up, and every cause and mover has a row of its own', async () => {
  await fc.assert(
    fc.asyncProperty(reports, rowsOf, periods, async (definition, rows, { period, comparison }) => {
      const model = await build({ rows, period, comparison, definition });
      const { mail } = await renderReport(model);
      const text = mail.text.replaceAll('\u00A0', ' ');
      const flat = text.replaceAll(/\s+/g, ' ');
      const tables = tablesIn(text);
      const cells = rowsIn(mail.html);
      const hasRow = (name: string): boolean =>
        tables.some((table) =>
          table.rows.some((texts) => texts.some((cell) => namesIn(cell).includes(name))),
        ) && cells.some((texts) => texts.some((cell) => namesIn(cell).includes(name)));
      const total = /\n\nSpend: (\S+)/.exec(text)?.[1] ?? '';
      const before = / vs (\$\S+|-\$\S+) \(/.exec(flat)?.[1];

      for (const table of tables) {
        const spendAt = table.rows[0]?.indexOf('Spend') ?? -1;
        const sums = table.rows.find(([first]) => first === 'Total');
        if (spendAt > 0 && sums !== undefined)
          expect([table.title, sums[spendAt]]).toEqual([table.title, total]);
      }

      // A row that both forms of the mail show is the same in both.
      for (const table of tables)
        for (const [name = '', ...figures] of table.rows.slice(1)) {
          if (!/^(model|service)-\w$/.test(name)) continue;
          const amounts = figures.filter((figure) => /^[+-]?\$/.test(figure));
          const shown = cells.filter(([first]) => first === name);
          expect([name, shown.some((row) => amounts.every((figure) => row.includes(figure)))]).toEqual([
            name,
            true,
          ]);
        }

      // The spend of a model or key is the same text in each table that shows it.
      const seen = new Map<string, string>();
      for (const table of tables) {
        const at = table.rows[0]?.indexOf('Spend') ?? -1;
        if (at < 0) continue;
        for (const row of table.rows.slice(1)) {
          const [name = ''] = row;
          if (!/^(model|service)-\w$/.test(name)) continue;
          expect([name, seen.get(name) ?? row[at]]).toEqual([name, row[at]]);
          seen.set(name, row[at] ?? '');
        }
      }

      const match = sentence.exec(flat);
      const found = match?.groups;
      const signedChange =
        found?.['change'] === undefined
          ? undefined
          : `${found['way'] === 'increase' ? '+' : '-'}${found['change']}`;
      const changes = tables.find(({ title }) => title === 'WHAT CHANGED');
      const change = changes?.rows.at(-1)?.at(-1) ?? signedChange;
      if (change !== undefined && before !== undefined) {
        const exact = model.data.tables.find(({ title }) => title === 'What changed')?.total?.[1];
        if (typeof exact === 'string')
          expect(change).toBe(formatDifference(money(exact), 'USD', localeOf('en')));
        // Each of the three is within half of its last digit of the exact amount.
        const off = subtractMoney(valueOf(change), subtractMoney(valueOf(total), valueOf(before)));
        const digits = sumMoney([change, total, before].map((amount) => money(`1e-${placesOf(amount)}`)));
        expect(compareMoney(multiplyMoney(absoluteMoney(off), money('2')), digits)).toBeLessThanOrEqual(0);
        for (const {
          title,
          rows: [head = [], ...others],
        } of tables) {
          const at = head.indexOf('Difference');
          const sums = others.find(([first]) => first === 'Total');
          if (at > 0) expect([title, sums?.[at]]).toEqual([title, change]);
        }
      }
      if (changes !== undefined && change !== undefined) {
        const parts = changes.rows.slice(1, -1).map((row) => row.at(-1) ?? '');
        expect(sumMoney(parts.map(valueOf))).toBe(valueOf(change));
        for (const part of parts) expect([part, valueOf(part) === zero]).toEqual([part, false]);
      }
      if (found !== undefined) {
        const { spike = '', cause = '', part = '', offset, model, key } = found;
        if (changes !== undefined) {
          const row = changes.rows.find(([first]) => first?.toLowerCase() === cause.toLowerCase());
          const shown = offset === undefined && found['change'] !== undefined ? valueOf(part) : part;
          const inRow = row?.at(-1) ?? '';
          expect([cause, shown === part ? inRow : absoluteMoney(valueOf(inRow))]).toEqual([cause, shown]);
        }
        if (offset !== undefined && change !== undefined)
          expect(addMoney(valueOf(part), valueOf(offset))).toBe(valueOf(change));
        for (const name of [model, key, found['alone'], ...namesIn(spike)])
          if (name !== undefined) expect([name, hasRow(name)]).toEqual([name, true]);
        expect(mail.html.replaceAll(/<[^>]+>|&nbsp;|\s+/g, ' ').replaceAll(/\s+/g, ' ')).toContain(
          match?.[0],
        );
      }
      for (const [, name = ''] of flat.matchAll(/(model-\w) (?:cost \$|is new:)/g))
        expect([name, hasRow(name)]).toEqual([name, true]);
    }),
    { numRuns: few(40, 50 * chaosFactor) },
  );
});
