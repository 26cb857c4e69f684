import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildProgram } from '../../program/support/built-program.ts';
import type { BuiltProgram } from '../../program/support/built-program.ts';
import { openKeyHouse } from './key-house.ts';
import { keyWeathers } from './key-variants.ts';
import { playRotation } from './play-rotation.ts';

/** How many processes are killed at random moments, over all weathers. */
const count = Number(process.env['TOLLKEEPER_KEY_ROUNDS'] ?? process.env['TOLLKEEPER_STORM_ROUNDS'] ?? 100);
const seed = Number(process.env['TOLLKEEPER_STORM_SEED'] ?? Date.now() % 2 ** 31);
/** In the long storm all pairs of ways, and the finest boundaries too: half a line, a line that is not synced, a file. */
const isLong = process.env['TOLLKEEPER_KEY_BOUNDARIES'] === 'all';
const weathers = keyWeathers(isLong ? 'pairs' : 'ways');
const finest = /./;
const steps = /^(before line|line synced|answer of|renamed)/;
const each = Math.max(1, Math.ceil(count / weathers.length));
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** The weathers whose place in the list is wanted: files that share them out are played side by side. */
export const playKeyStorm = (isWanted: (index: number) => boolean): void => {
  const mine = weathers
    .map((weather, index) => [weather.name, weather, index] as const)
    .filter(([, , index]) => isWanted(index));
  vi.setConfig({ hookTimeout: 120_000, testTimeout: 900_000 + each * 20_000 });

  let program: BuiltProgram;
  /** Milliseconds that processes took which nobody disturbed, by weather. */
  const undisturbed = new Map<number, number[]>();
  beforeAll(async () => {
    say(
      `storm of ${mine.length} of ${weathers.length} weathers, ${each} kills at random in each, TOLLKEEPER_STORM_SEED=${seed}`,
    );
    program = await buildProgram();
  });
  afterAll(() => program[Symbol.asyncDispose]());

  describe.each(mine)('%s', (_name, weather, index) => {
    const isCut = isLong || index < 2;
    if (isCut)
      it('killed at each boundary of a step: no sink ever holds a dead key, and no key is left over', async () => {
        await using house = await openKeyHouse(program, weather);
        const whole: number[] = [];
        const { kills, wrongs, unfinished } = await playRotation(
          house,
          () => ({ kind: 'boundary', which: isLong ? finest : steps }),
          ({ killed, took }) => void (killed || whole.push(took)),
        );
        expect(wrongs).toEqual([]);
        expect(unfinished).toEqual([]);
        undisturbed.set(index, whole);
        const deaths = await house.deaths();
        expect(deaths).toHaveLength(kills);
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
          expect(deaths.some((death) => boundary.test(death))).toBe(true);
        expect((await house.live(['keys', 'audit', '--verify'])).code).toBe(0);
        const calls = await house.consumer.stop();
        say(
          `${weather.name}: ${kills} boundaries; ${calls} calls, ${house.consumer.failures().length} failed`,
        );
        expect(house.consumer.failures()).toEqual([]);
      });

    it('killed at random moments', async () => {
      await using house = await openKeyHouse(program, weather);
      const moments = fc.sample(fc.noBias(fc.integer({ min: 0, max: 1000 })), { seed, numRuns: 100_000 });
      // Processes that nobody disturbs tell how long they take, so that kills fall all over their work.
      const lives = undisturbed.get(index) ?? [];
      if (lives.length === 0) {
        const calm = await playRotation(
          house,
          () => ({ kind: 'none' }),
          ({ took }) => void lives.push(took),
        );
        expect([calm.wrongs, calm.unfinished]).toEqual([[], []]);
      }
      /** Milliseconds: most of what a process takes that has nothing to do, and within which one may end that has. */
      const least = Math.min(...lives) * 0.7;
      let longest = Math.max(...lives);
      let [kills, amid, rotations, draw] = [0, 0, 0, 0];
      while (kills < each) {
        const rotated = await playRotation(
          house,
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
      expect((await house.live(['keys', 'audit', '--verify'])).code).toBe(0);
      const calls = await house.consumer.stop();
      say(
        `${weather.name}: ${kills} kills at random in ${rotations} rotations, ${amid} behind a step of theirs; ${calls} calls`,
      );
      // Of a few none may fall there.
      if (kills >= 50) expect(amid).toBeGreaterThan(0);
      expect(house.consumer.failures()).toEqual([]);
    });
  });
};
