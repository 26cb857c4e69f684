import { describe, expect, it } from 'vitest';
import { lineAfter, noHead } from '../../src/keys/journal/audit-line.ts';
import { compareAudit } from '../../src/keys/journal/compare-audit.ts';

type Row = Parameters<typeof compareAudit>[1][number];

const written = (count: number): { readonly lines: readonly string[]; readonly rows: readonly Row[] } => {
  const lines: string[] = [];
  const rows: Row[] = [];
  let head = noHead;
  for (let step = 1; step <= count; step += 1) {
    const event = JSON.stringify({ what: 'planned', step });
    const line = lineAfter(head, event);
    head = line.head;
    lines.push(line.text);
    rows.push({ ...head, event });
  }
  return { lines, rows };
};

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

describe('an audit file', () => {
  const { lines, rows } = written(3);

  it('agrees with the database that holds the same steps', async () => {
    expect(await compareAudit(each(lines), rows)).toEqual({ steps: 3 });
    expect(await compareAudit(each([]), [])).toEqual({ steps: 0 });
  });

  it.each<[string, readonly string[], readonly Row[], string]>([
    [
      'lacks its last line',
      lines.slice(0, 2),
      rows,
      'the file ends with step 2, and the database with step 3',
    ],
    ['is empty', [], rows, 'the file ends with step 0'],
    ['has a line more', written(4).lines, rows, 'the file has a line 4, and the database ends with step 3'],
    ['has another line', lines.with(1, lines[2] ?? ''), rows, 'line 2 is not step 2 of the database'],
    ['has a torn line', lines.with(2, '{"seq":3'), rows, 'line 3: it is not a line of an audit file'],
    [
      'is whole, while a step of the database was changed',
      lines,
      rows.with(1, { ...written(3).rows[1], event: '{"what":"deleted"}' } as Row),
      'step 2 of the database was changed',
    ],
  ])('that %s differs from the database', async (_name, found, known, why) => {
    const { steps, differs } = await compareAudit(each(found), known);
    expect(steps).toBe(3);
    expect(differs).toContain(why);
  });
});
