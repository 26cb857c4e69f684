import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/core/index.ts';
import { readAuditLines } from '../../src/keys/journal/audit-file.ts';
import { openJournal } from '../../src/keys/journal/journal.ts';
import { verifyAudit } from '../../src/keys/index.ts';
import { chaosFactor, runs } from '../support/storm.ts';
import { crash, engineFixture, hour, memorySink, memoryTable, type EngineFixture } from './engine-fixture.ts';
import { openRotations } from '../../src/keys/model/key-state.ts';

/** Names of keys that no sink can hold: made, and never on their way to one. */
const orphans = (fixture: EngineFixture): readonly string[] => {
  const delivering = new Set(
    fixture.table.rows
      .filter(({ what }) => what === 'delivering' || what === 'adopted')
      .map(({ event }) => (JSON.parse(event) as { name: string }).name),
  );
  return fixture.names().filter((name) => !delivering.has(name));
};

/** Those of them that were not proven unused when their rotation went on. */
const retained = (fixture: EngineFixture): ReadonlySet<string> =>
  new Set(
    fixture.table.rows
      .filter(({ what }) => what === 'retained')
      .map(({ event }) => (JSON.parse(event) as { name: string }).name),
  );

const lost = fc.array(fc.constantFrom('before' as const, 'after' as const, undefined), { maxLength: 3 });

const scenario = fc.record({
  // After how many effects and lines each life of the process ends.
  lives: fc.array(fc.integer({ min: 0, max: 70 }), { maxLength: 6 }),
  creates: lost,
  removes: lost,
  updates: lost,
  sinks: fc.constantFrom(1 as const, 2 as const),
  retire: fc.constantFrom('unused' as const, 'after-overlap' as const, 'now' as const),
  limited: fc.boolean(),
  quota: fc.constantFrom('carry' as const, 'split' as const),
  // For how many rounds lists do not show a new key.
  late: fc.constantFrom(0, 0, 1, 2),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** Plays a rotation to its end through all that happens to it, looking at the sinks at every effect. */
const play = async (
  given: Scenario,
  forgets: readonly string[] = [],
): Promise<{ readonly marks: number }> => {
  await using fixture = await engineFixture();
  fixture.state.forgets.push(...forgets);
  const sinks = [memorySink('memory:one'), memorySink('memory:two')].slice(0, given.sinks);
  fixture.state.sinks = sinks.map(({ sink }) => sink);
  const old = fixture.gateway.add('billing.g1', {
    unlimitedQuota: !given.limited,
    remainQuota: '10' as never,
  });
  for (const { contents } of sinks) contents.value = fixture.gateway.plaintextOf(old);
  fixture.gateway.faults.create.push(...given.creates);
  fixture.gateway.faults.remove.push(...given.removes);
  fixture.gateway.faults.update.push(...given.updates);
  const lives = [...given.lives];
  let left = Number.POSITIVE_INFINITY;
  let marks = 0;
  const wrong: string[] = [];
  let isDead = false;
  const look = (what: string): void => {
    for (const { sink, contents } of sinks)
      if (!fixture.gateway.works(contents.value ?? '')) wrong.push(`${what}: ${sink.place} holds a dead key`);
    // A key that no list shows cannot be cleared away before another one is made.
    const kept = retained(fixture);
    const orphanKey = orphans(fixture).filter((name) => given.late === 0 && !kept.has(name));
    if (orphanKey.length > 1) wrong.push(`${what}: orphans ${orphanKey.join(', ')}`);
  };
  const hiddenTill = new Map<number, number>();
  let now = 0;
  fixture.state.at = (what) => {
    if (isDead) throw crash;
    for (const keyId of given.late === 0 ? [] : fixture.gateway.keys.keys()) {
      if (keyId === old) continue;
      if (!hiddenTill.has(keyId)) hiddenTill.set(keyId, now + given.late);
      if ((hiddenTill.get(keyId) ?? 0) > now) fixture.gateway.hidden.add(keyId);
    }
    look(what);
    marks += 1;
    left -= 1;
    if (left < 0) {
      isDead = true;
      throw crash;
    }
  };
  const live = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (error !== crash && !isDead) throw error;
    }
    if (!isDead) return;
    isDead = false;
    left = lives.shift() ?? Number.POSITIVE_INFINITY;
    await fixture.restart();
  };
  left = lives.shift() ?? Number.POSITIVE_INFINITY;
  const retire = { when: given.retire, quiet: hour, ending: 'delete' as const };
  const terms = { retire, tries: 50, quota: { kind: given.quota } };
  await live(async () => fixture.start(old, terms));
  for (let round = 0; round < 60; round += 1) {
    now = round;
    for (const [keyId, till] of hiddenTill) if (till <= now) fixture.gateway.hidden.delete(keyId);
    if (openRotations(fixture.journal().state('main')).length === 0) {
      const [current] = [...fixture.gateway.keys.keys()];
      if (current !== old && fixture.gateway.keys.size === 1) break;
      // It died before its plan was written down: the schedule plans it again.
      if (fixture.gateway.keys.has(old) && round > 0) await live(async () => fixture.start(old, terms));
    }
    await live(async () => fixture.advance());
    // The application calls with whatever each sink holds.
    for (const { contents } of sinks) {
      const key = [...fixture.gateway.keys.values()].find(({ plaintext }) => plaintext === contents.value);
      if (key !== undefined) fixture.state.calls.push({ name: key.name, at: fixture.clock.now() + 1000 });
    }
    fixture.elapse(hour / 2 + 5000);
    if (!isDead) look(`after round ${round}`);
  }
  expect(wrong).toEqual([]);
  expect(openRotations(fixture.journal().state('main'))).toEqual([]);
  expect(orphans(fixture)).toEqual([]);
  expect(fixture.gateway.keys.size).toBe(1);
  expect(fixture.gateway.keys.has(old)).toBe(false);
  // Nothing was spent, so that nothing is lost of a quota, and nothing is given twice.
  const [last] = fixture.gateway.keys.values();
  if (given.limited) expect(last?.remainQuota).toBe('10');
  expect((await verifyAudit(readAuditLines(fixture.path()))).broken).toBeUndefined();
  // The journal can be made again from the audit file alone.
  const rebuilt = memoryTable();
  const journal = await openJournal({ table: rebuilt, path: fixture.path(), log: silentLog });
  expect(rebuilt.rows).toEqual(fixture.table.rows);
  expect([...journal.state('main').lineage.values()]).toEqual([
    ...fixture.journal().state('main').lineage.values(),
  ]);
  return { marks };
};

const calm: Scenario = {
  lives: [],
  creates: [],
  removes: [],
  sinks: 2,
  retire: 'unused',
  limited: true,
  quota: 'carry',
  updates: [],
  late: 0,
};

describe('a process that is killed at any step of a rotation', () => {
  it('leaves a working key in every sink and at most one unexamined orphan after a single kill', async () => {
    const { marks } = await play(calm);
    expect(marks).toBeGreaterThan(40);
    for (let mark = 0; mark < marks; mark += chaosFactor > 1 ? 1 : 7) await play({ ...calm, lives: [mark] });
  });

  it('leaves the same after repeated kills, whatever answers are lost', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        await play(given);
      }),
      { numRuns: runs(12) },
    );
  });

  it.each([['delivering'], ['creating']])(
    'is detected by these invariants when a step is taken before it is journaled: %s',
    async (forgotten) => {
      const { marks } = await play(calm);
      let isFound = false;
      for (let mark = 4; mark < marks && !isFound; mark += 1)
        isFound = await play({ ...calm, lives: [mark] }, [forgotten]).then(
          () => false,
          () => true,
        );
      expect(isFound).toBe(true);
    },
  );
});
