import { day, type Kill, type KeyFixture, type Lived } from './key-fixture.ts';

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
const maxLives = 400;
const maxHours = 30;

/** Lets keys grow old, then runs job and pull, each process ended as `killOf` says, until nothing is left to do. */
export const playRotation = async (
  fixture: KeyFixture,
  killOf: (lives: number) => Kill,
  onLife: (lived: Lived) => void = () => undefined,
): Promise<Rotated> => {
  let [kills, lives] = [0, 0];
  const wrongs: string[] = [];
  fixture.elapse(31 * day);
  await fixture.begin();

  const look = async (when: string): Promise<void> => {
    for (const wrong of await fixture.wrongs()) wrongs.push(`${when}: ${wrong}`);
  };
  const untilEnded = async (): Promise<void> => {
    for (;;) {
      lives += 1;
      if (lives > maxLives) throw new Error(`no end after ${maxLives} processes: ${wrongs.join('; ')}`);
      const lived = await fixture.live(['run', 'rotate-apps'], killOf(lives));
      onLife(lived);
      const died = lived.killed
        ? ` after ${(await fixture.killedBoundaries()).at(-1) ?? 'a random moment'}`
        : '';
      await look(`process ${lives}${died}`);
      if (!lived.killed) return;
      kills += 1;
    }
  };

  let unfinished: readonly string[] = ['nothing was begun'];
  for (let hours = 0; hours < maxHours && unfinished.length > 0 && wrongs.length === 0; hours += 1) {
    await fixture.consumer.round();
    const pulled = await fixture.live(['run', 'pull-logs']);
    if (pulled.code !== 0) throw new Error(pulled.output);
    await untilEnded();
    unfinished = await fixture.unfinished();
    fixture.elapse(hour);
  }
  await fixture.consumer.round();
  await look('at the end');
  return { kills, wrongs, unfinished };
};
