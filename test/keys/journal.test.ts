import { appendFile, readFile, truncate, writeFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLog, fault } from '../../src/core/index.ts';
import { readAuditLines } from '../../src/keys/journal/audit-file.ts';
import { lineAfter, noHead } from '../../src/keys/journal/audit-line.ts';
import { openJournal } from '../../src/keys/journal/journal.ts';
import { verifyAudit, openReopenableJournal } from '../../src/keys/index.ts';
import { runs } from '../support/storm.ts';
import {
  engineFixture,
  memoryTable,
  type EngineFixture,
  begunFixture,
  hour,
  adoptedStep as step,
} from './engine-fixture.ts';
import { compareAudit } from '../../src/keys/journal/compare-audit.ts';
import { approved, titled } from '../support/approved.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fixture in which a rotation was begun, so that there are steps. */
const begun = async (): Promise<EngineFixture> => {
  const fixture = await engineFixture();
  await fixture.begun();
  return fixture;
};

const reopen = (fixture: EngineFixture, table = fixture.table) =>
  openJournal({ table, path: fixture.path(), log: silentLog });

describe('the key journal', () => {
  it.each([
    ['lacks steps that another replica recorded', (lines: readonly string[]) => lines.slice(0, -1)],
    ['has a step that the database never had', (lines: readonly string[]) => [...lines, lines[0] ?? '']],
    ['is missing', () => []],
  ])('in a database that replicas share, replaces a file that %s', async (_, change) => {
    await using fixture = await begun();
    const whole = await readFile(fixture.path(), 'utf8');
    const lines = whole.split('\n').slice(0, -1);
    await writeFile(
      fixture.path(),
      change(lines)
        .map((line) => `${line}\n`)
        .join(''),
    );
    const { table } = fixture;
    const journal = await openJournal({ table, path: fixture.path(), log: silentLog, isShared: true });
    expect(await readFile(fixture.path(), 'utf8')).toBe(whole);
    expect(await journal.compare()).toEqual({ steps: lines.length });
  });

  it('removes an incomplete last line left by a crash, and continues after the last complete one', async () => {
    await using fixture = await begun();
    const whole = await readFile(fixture.path(), 'utf8');
    await appendFile(fixture.path(), '{"seq":99,"prev":"');
    await reopen(fixture);
    expect(await readFile(fixture.path(), 'utf8')).toBe(whole);
  });

  it('adds a step to the database if the process was killed before its row was written', async () => {
    await using fixture = await begun();
    const lines = [...fixture.table.rows];
    const shorter = memoryTable();
    await shorter.append(lines.slice(0, -1), []);
    await reopen(fixture, shorter);
    expect(shorter.rows).toEqual(lines);
  });

  it('refuses to continue when the file and the database contradict each other', async () => {
    await using fixture = await begun();
    const text = await readFile(fixture.path(), 'utf8');
    const first = text.split('\n')[0] ?? '';
    await writeFile(fixture.path(), `${first}\n`);
    await expect(reopen(fixture)).rejects.toMatchObject({ code: 'audit-damaged' });
    await writeFile(fixture.path(), text.replace('"service":"billing"', '"service":"bi11ing"'));
    await expect(reopen(fixture, memoryTable())).rejects.toMatchObject({ code: 'audit-damaged' });
  });
});

describe('the verification of an audit file', () => {
  it('finds every changed character and every removed, inserted or moved line', async () => {
    await using fixture = await begun();
    const lines: string[] = [];
    for await (const line of readAuditLines(fixture.path())) lines.push(line);
    expect(await verifyAudit(lines)).toEqual({ lines: lines.length, head: fixture.journal().head().hash });
    const anyLine = fc.integer({ min: 0, max: lines.length - 1 });
    await fc.assert(
      fc.asyncProperty(
        anyLine,
        anyLine,
        fc.nat(),
        fc.constantFrom('change', 'take', 'repeat', 'swap'),
        async (one, other, at, harm) => {
          const harmed = [...lines];
          const text = lines[one] ?? '';
          const place = at % text.length;
          if (harm === 'change') harmed[one] = `${text.slice(0, place)}\u0000${text.slice(place + 1)}`;
          // The last line can be cut off unseen: its head hash, told elsewhere, shows that.
          if (harm === 'take') harmed.splice(one === lines.length - 1 ? 0 : one, 1);
          if (harm === 'repeat') harmed.splice(one, 0, text);
          if (harm === 'swap') [harmed[one], harmed[other]] = [lines[other] ?? '', text];
          fc.pre(harm !== 'swap' || one !== other);
          const verdict = await verifyAudit(harmed);
          expect(verdict.broken).toBeDefined();
        },
      ),
      { numRuns: runs(50) },
    );
  });

  it('detects a line that was rewritten with a new hash', async () => {
    const first = lineAfter(noHead, '{"what":"adopted"}');
    const second = lineAfter(first.head, '{"what":"done"}');
    const forged = lineAfter(noHead, '{"what":"deleted"}');
    expect((await verifyAudit([first.text, second.text])).broken).toBeUndefined();
    expect((await verifyAudit([forged.text, second.text])).broken?.line).toBe(2);
  });

  it('finds no secret: no line contains the plaintext of a key', async () => {
    await using fixture = await begun();
    const text = await readFile(fixture.path(), 'utf8');
    for (const { plaintext } of fixture.gateway.keys.values()) expect(text).not.toContain(plaintext);
    await truncate(fixture.path(), text.length);
  });
});

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

/** Two steps in a file whose first line was taken out, and how often the database was asked for all of them. */
const damagedFixture = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-journal-'));
  const path = join(folder, 'keys.jsonl');
  const table = { ...memoryTable() };
  const journal = await openJournal({ table, path, log: silentLog });
  for (const number of [1, 2]) await journal.record([step(number)]);
  const whole = await readFile(path, 'utf8');
  await writeFile(path, whole.slice(whole.indexOf('\n') + 1));
  const { events } = table;
  let opened = 0;
  table.events = (filter) => {
    opened += 1;
    return events(filter);
  };
  return {
    path,
    table,
    whole,
    opened: () => opened,
    open: () => openReopenableJournal({ table, path, log: silentLog }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
};

it('a journal that could not be opened is opened once the file is valid, and only once', async () => {
  await using fixture = await damagedFixture();
  const journal = await fixture.open();
  const closed = journal.now();
  expect(closed.problem()).toMatchObject({ code: 'audit-damaged' });
  expect(await journal.check()).toMatchObject({ code: 'audit-damaged' });
  await expect(journal.now().record([step(3)])).rejects.toMatchObject({ code: 'audit-damaged' });
  await rename(fixture.path, `${fixture.path}.damaged`);
  const before = fixture.opened();
  expect(await Promise.all([journal.check(), journal.check(), journal.check()])).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(fixture.opened()).toBe(before + 1);
  expect(await readFile(fixture.path, 'utf8')).toBe(fixture.whole);
  expect([...journal.now().state('main').lineage.keys()]).toEqual([1, 2]);
  await journal.now().record([step(3)]);
  expect(fixture.table.rows).toHaveLength(3);
});

it('work that began with a closed journal records nothing after the journal opens: it saw no key', async () => {
  await using fixture = await damagedFixture();
  const journal = await fixture.open();
  const began = journal.now();
  await writeFile(fixture.path, fixture.whole);
  expect(await journal.check()).toBeUndefined();
  await expect(began.record([step(3)])).rejects.toMatchObject({ code: 'audit-damaged' });
});

it('a check reports an open journal that becomes invalid, and the journal resumes unchanged', async () => {
  await using fixture = await damagedFixture();
  await writeFile(fixture.path, fixture.whole);
  const journal = await fixture.open();
  const open = journal.now();
  expect(await journal.check()).toBeUndefined();
  await writeFile(fixture.path, `${fixture.whole}junk\n`);
  expect(await journal.check()).toMatchObject({ code: 'audit-damaged' });
  await writeFile(fixture.path, fixture.whole);
  expect(await journal.check()).toBeUndefined();
  expect(journal.now()).toBe(open);
});

it('an unrelated error does not change the status of the journal', async () => {
  await using fixture = await damagedFixture();
  fixture.table.last = () => Promise.reject(new TypeError('broken'));
  await expect(fixture.open()).rejects.toThrow('broken');
  fixture.table.last = () => Promise.reject(fault('disk-full', 'no room'));
  expect((await fixture.open()).now().problem()).toMatchObject({ code: 'disk-full' });
});

it('an unreadable audit file keeps the journal closed, and is checked again', async () => {
  await using fixture = await damagedFixture();
  await rm(fixture.path);
  await mkdir(fixture.path);
  const journal = await fixture.open();
  expect(journal.now().problem()).toMatchObject({
    code: 'path-unwritable',
    message: expect.stringContaining('EISDIR') as string,
  });
  await rm(fixture.path, { recursive: true });
  expect(await journal.check()).toBeUndefined();
});
