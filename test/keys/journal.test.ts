import { appendFile, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fault, silentLog } from '../../src/core/index.ts';
import { readAuditLines } from '../../src/keys/journal/audit-file.ts';
import { lineAfter, noHead } from '../../src/keys/journal/audit-line.ts';
import { openJournal } from '../../src/keys/journal/journal.ts';
import { verifyAudit } from '../../src/keys/index.ts';
import { runs } from '../support/storm.ts';
import { engineFixture, memoryTable, type EngineFixture } from './engine-fixture.ts';
import { openRotations } from '../../src/keys/model/key-state.ts';

/** A fixture in which a rotation was begun, so that there are steps. */
const begun = async (): Promise<EngineFixture> => {
  const fixture = await engineFixture();
  await fixture.begun();
  return fixture;
};

const reopen = (fixture: EngineFixture, table = fixture.table) =>
  openJournal({ table, path: fixture.path(), log: silentLog });

describe('the key journal', () => {
  it('is restored from the audit file when the database is lost', async () => {
    await using fixture = await begun();
    const table = memoryTable();
    const journal = await reopen(fixture, table);
    expect(table.rows).toEqual(fixture.table.rows);
    expect(openRotations(journal.state('main')).map(({ service }) => service)).toEqual(['billing']);
    expect(journal.head()).toEqual(fixture.journal().head());
  });

  it('rewrites the audit file when the file is lost', async () => {
    await using fixture = await begun();
    const before = await readFile(fixture.path(), 'utf8');
    await rm(fixture.path());
    await reopen(fixture);
    expect(await readFile(fixture.path(), 'utf8')).toBe(before);
  });

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

  it('writes every row exactly once when the database fails for a while', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    const { append } = fixture.table;
    const table = { ...fixture.table, append };
    let fails = true;
    table.append = async (rows, lineage) => {
      if (fails) throw fault('disk-full', 'no room');
      return append(rows, lineage);
    };
    const journal = await openJournal({ table, path: `${fixture.folder}/other.jsonl`, log: silentLog });
    const event = {
      at: fixture.clock.now(),
      who: 'person anna',
      account: 'main',
      service: 'billing',
      rotation: 'adopt/1',
      what: 'adopted' as const,
      keyId: old,
      generation: 1,
      name: 'billing.g1',
      born: fixture.clock.now(),
    };
    await expect(journal.record([event])).rejects.toThrow('no room');
    fails = false;
    await journal.record([{ ...event, generation: 2, keyId: old + 1 }]);
    expect(fixture.table.rows.map(({ seq }) => seq)).toEqual([1, 2]);
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
