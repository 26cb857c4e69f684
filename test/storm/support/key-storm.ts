import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildProgram, type BuiltProgram } from '../../program/support/built-program.ts';
import { isLong } from '../../support/storm.ts';
import { openKeyFixture } from './key-fixture.ts';
import { keyScenarios } from './key-variants.ts';
import { playRotation } from './play-rotation.ts';

/** How many processes are killed at random moments, over all scenarios. */
const count = Number(process.env['TOLLKEEPER_KEY_ROUNDS'] ?? process.env['TOLLKEEPER_STORM_ROUNDS'] ?? 100);
const seed = Number(process.env['TOLLKEEPER_STORM_SEED'] ?? Date.now() % 2 ** 31);
/** In the long storm all pairs of ways, and the finest boundaries too: half a line, a line that is not synced, a file. */
const scenarios = keyScenarios(isLong ? 'pairs' : 'ways');
const finest = /./;
/** A synced line is cut at the first one only: of the others, the line before the next step shows the same. */
const steps = /^creating > line synced| > (before line|answer of|renamed)/;
const each = Math.max(1, Math.ceil(count / scenarios.length));
/** Milliseconds after which the short storm begins no further rotation of a scenario. */
const share = isLong ? Infinity : 30_000;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** The scenarios whose place in the list is wanted: files that share them out are played side by side. */
export const runKeyChaos = (isWanted: (index: number) => boolean): void => {
  const mine = scenarios
    .map((scenario, index) => [scenario.name, scenario, index] as const)
    .filter(([, , index]) => isWanted(index));
  vi.setConfig({ hookTimeout: 120_000, testTimeout: 900_000 + each * 20_000 });

  let program: BuiltProgram;
  beforeAll(async () => {
    say(
      `storm of ${mine.length} of ${scenarios.length} scenarios, ${each} kills at random in each, TOLLKEEPER_STORM_SEED=${seed}`,
    );
    program = await buildProgram();
  });
  afterAll(() => program[Symbol.asyncDispose]());

  describe.each(mine)('%s', (_name, scenario, index) => {
    const isCut = isLong || index === 0;
    if (isCut)
      it('killed at each boundary of a step leaves no invalid key in a sink and no orphan', async () => {
        await using fixture = await openKeyFixture(program, scenario);
        const { kills, wrongs, unfinished } = await playRotation(fixture, () => ({
          kind: 'boundary',
          which: isLong ? finest : steps,
        }));
        expect(wrongs).toEqual([]);
        expect(unfinished).toEqual([]);
        const killedBoundaries = await fixture.killedBoundaries();
        expect(killedBoundaries).toHaveLength(kills);
        // A kill before and after each line of the journal, each answer, each file.
        for (const boundary of [
          /before line creating/,
          /^creating > line synced/,
          /answer of POST \/api\/token\//,
          /^created > /,
          /answer of POST \/v1\/embeddings/,
          /before line delivering/,
          /renamed/,
          /before line current/,
          /answer of DELETE \/api\/token\/N/,
          /before line deleted/,
        ])
          expect(killedBoundaries.some((killPlan) => boundary.test(killPlan))).toBe(true);
        expect((await fixture.live(['keys', 'audit', '--verify'])).code).toBe(0);
        const calls = await fixture.consumer.stop();
        say(
          `${scenario.name}: ${kills} boundaries; ${calls} calls, ${fixture.consumer.failures().length} failed`,
        );
        expect(fixture.consumer.failures()).toEqual([]);
      });

    it('killed at random moments leaves no invalid key in a sink and no orphan', async () => {
      await using fixture = await openKeyFixture(program, scenario);
      const moments = fc.sample(fc.noBias(fc.integer({ min: 0, max: 1000 })), { seed, numRuns: 100_000 });
      // What a process takes that pulls tells how long one that rotates takes, so that kills fall all over its work.
      const { took: usual } = await fixture.live(['run', 'pull-logs']);
      const least = usual * 0.7;
      let longest = usual * 2;
      let [kills, amid, rotations, draw] = [0, 0, 0, 0];
      const ends = performance.now() + share;
      while (kills < each && (rotations === 0 || performance.now() < ends)) {
        const rotated = await playRotation(
          fixture,
          (lives) =>
            kills + lives > each + 1
              ? { kind: 'none' }
              : {
                  kind: 'moment',
                  after: least + ((moments[(draw += 1)] ?? 0) / 1000) * Math.max(0, longest - least),
                },
          ({ killed, took, stepped }) => {
            if (killed && stepped) amid += 1;
            longest = killed ? longest * 1.01 : Math.max(longest * 0.9, took);
          },
        );
        expect(rotated.wrongs).toEqual([]);
        expect(rotated.unfinished).toEqual([]);
        kills += rotated.kills;
        rotations += 1;
      }
      expect((await fixture.live(['keys', 'audit', '--verify'])).code).toBe(0);
      const calls = await fixture.consumer.stop();
      say(
        `${scenario.name}: ${kills} kills at random in ${rotations} rotations, ${amid} behind a step of theirs; ${calls} calls`,
      );
      // Of a few none may fall there.
      if (kills >= 50) expect(amid).toBeGreaterThan(0);
      expect(fixture.consumer.failures()).toEqual([]);
    });
  });
};
