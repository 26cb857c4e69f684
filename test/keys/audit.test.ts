import { describe, expect, it } from 'vitest';
import { lineAfter, noHead } from '../../src/keys/journal/audit-line.ts';
import { compareAudit } from '../../src/keys/journal/compare-audit.ts';
import { approved, titled } from '../support/approved.ts';
import { begunFixture, hour } from './engine-fixture.ts';

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

  it('differs from the database where it or a step of the database was changed, and the line is named', async () => {
    const changed = rows.with(1, { ...written(3).rows[1], event: '{"what":"deleted"}' } as Row);
    const texts: [string, string][] = [];
    for (const [title, found, known] of [
      ['lacks its last line', lines.slice(0, 2), rows],
      ['is empty', [], rows],
      ['has a line more', written(4).lines, rows],
      ['has another line', lines.with(1, lines[2] ?? ''), rows],
      ['has a torn line', lines.with(2, '{"seq":3'), rows],
      ['is whole, while a step of the database was changed', lines, changed],
    ] as const) {
      const { steps, differs = '' } = await compareAudit(each(found), known);
      expect([title, steps, differs === '']).toEqual([title, 3, false]);
      texts.push([title, differs]);
    }
    await expect(titled(texts)).toMatchFileSnapshot(approved('keys/audit-differences'));
  });
});

const signal = new AbortController().signal;

it('a key that the list does not show yet is not reported as deleted by an inspection', async () => {
  const { fixture } = await begunFixture();
  const current = [...fixture.gateway.keys.values()].find(({ name }) => name === 'billing.g2');
  if (current === undefined) throw new RangeError('no successor');
  // A list may lag, or be taken before another piece of work delivers a key.
  fixture.gateway.hidden.add(current.id);
  await fixture.keyService().inspect({ sinks: true }, signal);
  expect([await fixture.keyService().deadKeys(), fixture.alert]).toEqual([[], []]);
  expect(await fixture.keyService().reconcile({ apply: false }, 'person anna', signal)).toEqual([]);
});

it('a key that a sink holds and the gateway has deleted is reported once by inspections', async () => {
  const { fixture } = await begunFixture();
  const current = [...fixture.gateway.keys.values()].find(({ name }) => name === 'billing.g2');
  fixture.gateway.keys.delete(current?.id ?? 0);
  for (let round = 0; round < 2; round += 1) {
    fixture.elapse(hour);
    await fixture.keyService().inspect({ sinks: true }, signal);
  }
  expect(await fixture.keyService().deadKeys()).toMatchObject([{ name: 'billing.g2', state: 'deleted' }]);
  expect(fixture.alert).toHaveLength(1);
});
