import { describe, expect, it } from 'vitest';
import { parseKeyEvent } from '../../src/keys/key-event.ts';
import type { EngineHouse } from './engine-house.ts';
import { engineHouse, hour } from './engine-house.ts';

const minute = 60_000;
const day = 24 * hour;

const isThere = ({ gateway }: EngineHouse, id: number): boolean => gateway.keys.has(id);

/** What the journal says of a step, the newest last. */
const noted = async (house: EngineHouse, what: string) =>
  (await house.desk().history('billing')).filter((event) => event.what === what);

describe('an old key that somebody renames', () => {
  it('after the hand-over stays while it is used under its new name, which is told', async () => {
    await using house = await engineHouse();
    const { old } = await house.begun();
    house.rename(old, 'billing-legacy');
    house.pass(2 * hour);
    house.used('billing-legacy', minute);
    house.used('billing.g2', minute);
    await house.advance();
    expect(isThere(house, old)).toBe(true);
    expect(house.news.map(({ kind, words }) => [kind, words])).toEqual([
      ['held', expect.stringMatching(/^billing\.g1 is still used under its name billing-legacy: 1 call, /)],
    ]);
  });

  it('between its adoption and the hand-over stays likewise', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1');
    const id = await house.start(old);
    house.rename(old, 'billing-legacy');
    await house.advance([id]);
    house.pass(2 * hour);
    house.used('billing-legacy', minute);
    house.used('billing.g2', minute);
    await house.advance();
    expect(isThere(house, old)).toBe(true);
  });

  it('and renames back stays while it was used under any of the names, whose uses are one', async () => {
    await using house = await engineHouse();
    const { old } = await house.begun({ retire: { when: 'unused', quiet: 6 * hour, ending: 'delete' } });
    house.pass(7 * hour);
    house.rename(old, 'billing-legacy');
    house.used('billing.g1', hour);
    await house.advance();
    house.used('billing-legacy', minute);
    house.rename(old, 'billing.g1');
    house.used('billing.g2', minute);
    await house.advance();
    expect(isThere(house, old)).toBe(true);
    house.pass(5 * minute);
    await house.restart();
    await house.advance();
    expect(isThere(house, old)).toBe(true);
    expect((await noted(house, 'held')).at(-1)).toMatchObject({ reason: 'used' });
    house.pass(5 * hour + 30 * minute);
    // The call under the first name is out of the quiet time, that under the other is not.
    await house.advance();
    expect(isThere(house, old)).toBe(true);
  });

  it('sums the uses of all of its names: models together, the last call the latest', async () => {
    await using house = await engineHouse();
    const { old } = await house.begun();
    house.rename(old, 'billing-legacy');
    house.pass(2 * hour);
    const last = house.clock.now() - minute;
    house.used('billing.g1', 30 * minute);
    house.used('billing-legacy', 20 * minute);
    house.used('billing.g1', minute);
    await house.advance();
    expect(house.news[0]?.use).toEqual({
      calls: 3,
      lastCall: Math.floor(last / 1000),
      models: [{ model: 'm', calls: 3 }],
    });
    expect(house.news[0]?.words).toContain('under its names billing.g1 and billing-legacy: 3 calls');
  });

  it('goes when it is quiet under each of its names, which its proof tells', async () => {
    await using house = await engineHouse();
    const { old } = await house.begun();
    house.rename(old, 'billing-legacy');
    house.pass(2 * hour);
    house.used('billing.g2', minute);
    await house.advance();
    const [quiet] = await noted(house, 'quiet');
    expect(quiet).toMatchObject({ name: 'billing.g1', names: ['billing.g1', 'billing-legacy'] });
    expect(quiet).toMatchObject({ evidence: expect.stringContaining('billing.g1 (also billing-legacy)') });
  });

  it('is held when another key bears the new name', async () => {
    await using house = await engineHouse();
    const { old } = await house.begun();
    const other = house.gateway.add('billing-legacy');
    house.rename(old, 'billing-legacy');
    house.pass(2 * hour);
    house.used('billing.g2', minute);
    await house.advance();
    expect(isThere(house, old)).toBe(true);
    expect((await noted(house, 'held'))[0]).toMatchObject({
      reason: 'name-shared',
      words: expect.stringContaining(`(ids ${other})`),
    });
  });
});

describe('a successor that somebody renames', () => {
  it('counts as used under its new name', async () => {
    await using house = await engineHouse();
    const { old, moved } = await house.begun();
    house.rename(moved?.view.candidate?.keyId ?? 0, 'billing-now');
    house.pass(2 * hour);
    house.used('billing-now', minute);
    await house.advance();
    expect(isThere(house, old)).toBe(false);
  });

  it('to the name that the old key bore is told from it by nobody', async () => {
    await using house = await engineHouse();
    const { old, moved } = await house.begun();
    house.pass(5 * minute);
    house.rename(old, 'billing-legacy');
    await house.advance();
    house.rename(moved?.view.candidate?.keyId ?? 0, 'billing.g1');
    house.pass(10 * hour);
    house.used('billing-legacy', 9 * hour);
    await house.advance();
    expect(isThere(house, old)).toBe(true);
    expect((await noted(house, 'held'))[0]).toMatchObject({
      reason: 'name-shared',
      words: expect.stringContaining('both bore the name billing.g1'),
    });
  });
});

it('proofs that were written down before names were are read as they are', () => {
  const line = {
    at: 1,
    who: 'job rotate',
    account: 'main',
    service: 'billing',
    rotation: 'r1',
    what: 'quiet',
    keyId: 1,
    generation: 1,
    name: 'billing.g1',
    from: 1,
    to: 2,
    evidence: 'no call',
  };
  expect(parseKeyEvent(line)).toEqual(line);
  expect(parseKeyEvent({ ...line, names: ['billing.g1'] })).toMatchObject({ names: ['billing.g1'] });
});

describe('a call that the log shows', () => {
  it('behind the end of what is known to be whole holds the old key', async () => {
    await using house = await engineHouse();
    const { old } = await house.begun();
    house.state.logLag = hour;
    house.pass(3 * hour);
    house.used('billing.g2', 90 * minute);
    house.used('billing.g1', 10 * minute);
    await house.advance();
    expect(isThere(house, old)).toBe(true);
    expect((await noted(house, 'held'))[0]).toMatchObject({ reason: 'used' });
  });

  it('is stamped by a clock that runs ahead and holds the old key all the same', async () => {
    await using house = await engineHouse();
    const { old } = await house.begun();
    house.pass(3 * hour);
    house.used('billing.g2', minute);
    house.used('billing.g1', -5 * minute);
    await house.advance();
    expect(isThere(house, old)).toBe(true);
  });

  it('is told though the log is not whole for long', async () => {
    await using house = await engineHouse();
    await house.begun();
    house.pass(5 * hour);
    house.state.logLag = 4 * hour;
    house.used('billing.g1', 30 * minute);
    await house.advance();
    expect((await noted(house, 'held'))[0]).toMatchObject({ reason: 'used' });
    house.pass(2 * hour);
    house.state.logLag = 6 * hour;
    await house.advance();
    expect((await noted(house, 'held')).at(-1)).toMatchObject({ reason: 'log-incomplete' });
  });
});

describe('why an old key stays', () => {
  it('is told once when the log stays incomplete, however early that was written down', async () => {
    await using house = await engineHouse();
    await house.begun();
    house.state.logLag = 100 * day;
    for (let hours = 0; hours < 26; hours += 1) {
      house.pass(hour - 1000);
      await house.advance();
    }
    expect(await noted(house, 'held')).toMatchObject([{ reason: 'log-incomplete' }]);
    expect(house.news).toEqual([]);
    house.pass(hour);
    await house.advance();
    expect(house.news.map(({ kind, words }) => [kind, words])).toEqual([
      ['held', expect.stringContaining('the call log does not reach far enough')],
    ]);
    for (let passes = 0; passes < 3; passes += 1) {
      house.pass(5 * minute);
      if (passes === 1) await house.restart();
      await house.advance();
    }
    expect(house.news).toHaveLength(1);
  });

  it.each([
    ['held', 0, 2 * hour],
    ['held', 100 * day, 3 * day],
    ['escalated', 100 * day, 20 * day],
  ])(
    'is told though the program dies as it writes it down: %s, a log %d ms behind',
    async (what, lag, later) => {
      await using house = await engineHouse();
      await house.begun({
        retire: { when: 'unused', quiet: hour, ending: 'delete', maxOverlap: 10 * day },
      });
      if (lag > 0) {
        house.state.logLag = lag;
        house.pass(2 * hour);
        await house.advance();
        expect(house.news).toEqual([]);
      }
      house.pass(later);
      if (lag === 0) house.used('billing.g1', minute);
      let died = 0;
      house.state.at = (mark) => {
        if (mark !== `after record ${what}`) return;
        died += 1;
        throw new RangeError('it died');
      };
      await house.advance().catch(() => undefined);
      house.state.at = () => undefined;
      await house.restart();
      await house.advance();
      expect(died).toBe(1);
      expect(house.news.filter(({ kind }) => kind === what)).not.toEqual([]);
    },
  );

  it('and that a quota can be spent twice is told though it dies at the hand-over', async () => {
    await using house = await engineHouse();
    const old = house.gateway.add('billing.g1', { unlimitedQuota: false, remainQuota: '10' as never });
    const id = await house.start(old);
    house.state.at = (mark) => {
      if (mark === 'after record current') throw new RangeError('it died');
    };
    await house.advance([id]).catch(() => undefined);
    house.state.at = () => undefined;
    await house.restart();
    await house.advance();
    expect(house.news.map(({ kind }) => kind)).toContain('exposure');
  });
});

describe('our own call that verified the successor', () => {
  it.each([
    ['a second', 6 * hour, 1000],
    ['a quarter of an hour less a second', 6 * hour, 15 * minute - 1000],
    ['nearly half of a short quiet time', 20 * minute, 10 * minute - 1000],
  ])('is nobody’s use, stamped %s after the hand-over', async (_title, quiet, after) => {
    await using house = await engineHouse();
    const { old } = await house.begun({ retire: { when: 'unused', quiet, ending: 'delete' } });
    house.state.calls.push({ name: 'billing.g2', at: house.clock.now() + after });
    house.pass(12 * hour);
    await house.advance();
    expect(isThere(house, old)).toBe(true);
    expect((await noted(house, 'held'))[0]).toMatchObject({ reason: 'successor-unused' });
  });

  it.each([
    ['a quarter of an hour', 6 * hour, 15 * minute],
    ['half of a short quiet time', 20 * minute, 10 * minute],
  ])('a call %s after it is somebody’s', async (_title, quiet, after) => {
    await using house = await engineHouse();
    const { old } = await house.begun({ retire: { when: 'unused', quiet, ending: 'delete' } });
    house.state.calls.push({ name: 'billing.g2', at: house.clock.now() + after });
    house.pass(12 * hour);
    await house.advance();
    expect(isThere(house, old)).toBe(false);
  });
});
