import { day } from './key-house.ts';
import type { Death, KeyHouse, Lived } from './key-house.ts';

const hour = 3_600_000;

/** What one rotation of all services left to be looked at. */
export type Rotated = {
  readonly kills: number;
  /** What was wrong at some moment, with when it was. */
  readonly wrongs: readonly string[];
  /** What was not done at the end. */
  readonly unfinished: readonly string[];
};

/** More than any rotation takes: what needs more stands still. */
const mostLives = 400;
const mostHours = 30;

/** Lets keys grow old, then runs job and pull, each process ended as `deathOf` says, until nothing is left to do. */
export const playRotation = async (
  house: KeyHouse,
  deathOf: (lives: number) => Death,
  onLife: (lived: Lived) => void = () => undefined,
): Promise<Rotated> => {
  let [kills, lives] = [0, 0];
  const wrongs: string[] = [];
  house.pass(31 * day);
  await house.begin();

  const look = async (when: string): Promise<void> => {
    for (const wrong of await house.wrongs()) wrongs.push(`${when}: ${wrong}`);
  };
  const untilEnded = async (): Promise<void> => {
    for (;;) {
      lives += 1;
      if (lives > mostLives) throw new Error(`no end after ${mostLives} processes: ${wrongs.join('; ')}`);
      const lived = await house.live(['run', 'rotate-apps'], deathOf(lives));
      onLife(lived);
      const died = lived.killed ? ` after ${(await house.deaths()).at(-1) ?? 'a random moment'}` : '';
      await look(`process ${lives}${died}`);
      if (!lived.killed) return;
      kills += 1;
    }
  };

  let unfinished: readonly string[] = ['nothing was begun'];
  for (let hours = 0; hours < mostHours && unfinished.length > 0 && wrongs.length === 0; hours += 1) {
    await house.consumer.round();
    const pulled = await house.live(['run', 'pull-logs']);
    if (pulled.code !== 0) throw new Error(pulled.said);
    await untilEnded();
    unfinished = await house.unfinished();
    house.pass(hour);
  }
  await house.consumer.round();
  await look('at the end');
  return { kills, wrongs, unfinished };
};
