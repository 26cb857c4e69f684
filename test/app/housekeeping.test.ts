import { describe, expect, it } from 'vitest';
import { createHousekeeping } from '../../src/app/housekeeping.ts';
import type { App } from '../../src/app/open-app.ts';
import type { Reload } from '../../src/app/reload.ts';
import { fault, silentLog } from '../../src/base/index.ts';
import type { Fault, FaultCode, Means } from '../../src/base/index.ts';
import type { KeyNews } from '../../src/keys/index.ts';
import { manualClock } from '../support/manual-clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A daemon's work on the rotations of two accounts; each letter is queued once, as the outbox does. */
const openHouse = (start = '2026-01-10T08:00:00Z') => {
  const clock = manualClock(Date.parse(start));
  const failures = new Map<string, Error>();
  const closed = new Set<string>();
  const journal: { trouble?: Fault } = {};
  const asked: string[] = [];
  const letters = new Map<string, KeyNews>();
  const desk = (account: string) => ({
    open: async () => (closed.has(account) ? [] : [{}]),
    advance: async () => {
      asked.push(account);
      const failure = failures.get(account);
      if (failure !== undefined) throw failure;
      return [];
    },
  });
  const furniture = {
    config: { settings: { accounts: { main: {}, other: {} } } },
    routes: [],
    keyDesk: desk,
    tellOfKeys: async (news: KeyNews) => {
      if (!letters.has(news.key)) letters.set(news.key, news);
    },
  };
  const app = { current: () => furniture, keyTrouble: async () => journal.trouble } as unknown as App;
  const boot = () => createHousekeeping(app, {} as Reload, { clock } as unknown as Means, silentLog);
  let works = boot();
  /** Asked for anew each time, as the daemon does. */
  const work = () => {
    const found = works().find(({ name }) => name === 'rotations');
    if (found === undefined) throw new Error('no work on rotations');
    return found;
  };
  const { signal } = new AbortController();
  const house = {
    clock,
    asked,
    closed,
    damage: (message = 'line 2 is not it') => {
      journal.trouble = fault('audit-damaged', message, { advice: 'move it aside' });
    },
    restore: () => {
      delete journal.trouble;
    },
    restart: () => {
      works = boot();
    },
    fail: (code: FaultCode, account = 'main') => void failures.set(account, fault(code, `${code} it is`)),
    mend: (account = 'main') => void failures.delete(account),
    /** Goes over the rotations every five minutes for so long, the end included. */
    passFor: async (millis: number) => {
      for (let gone = 0; ; gone += 5 * minute) {
        await work().run(signal);
        if (gone >= millis) return;
        clock.advance(5 * minute);
      }
    },
    titles: () =>
      [...letters.values()].map(({ account, title }) =>
        account === '' ? title : title.replace(account, '…'),
      ),
    letters: () => [...letters.values()],
  };
  return house;
};

const stuck = 'the rotations of … cannot be moved on';
const over = 'the rotations of … move on again';

describe('rotations that cannot be moved on', () => {
  it('are told of once more on one day where a job carried them to their end meanwhile', async () => {
    const house = openHouse();
    house.fail('disk-full');
    await house.passFor(5 * minute);
    house.mend();
    house.closed.add('main');
    await house.passFor(3 * hour);
    house.closed.delete('main');
    house.fail('disk-full');
    await house.passFor(5 * minute);
    expect(house.titles()).toEqual([stuck, stuck]);
  });

  it('are told of each time that they begin to be, and when they move on again', async () => {
    const house = openHouse();
    await house.passFor(hour);
    house.fail('gateway-unreachable');
    await house.passFor(hour);
    expect(house.titles()).toEqual([stuck]);
    house.mend();
    await house.passFor(hour);
    expect(house.titles()).toEqual([stuck, over]);
    expect(house.letters()[1]).toMatchObject({
      kind: 'done',
      words: expect.stringContaining('since 2026-01-10T09:00:00Z') as string,
    });
    house.clock.set(Date.parse('2026-06-02T10:00:00Z'));
    house.fail('gateway-unreachable');
    await house.passFor(hour);
    house.mend();
    await house.passFor(0);
    expect(house.titles()).toEqual([stuck, over, stuck, over]);
  });

  it('by what passes are told of after half an hour, by anything else at once', async () => {
    const codes = [
      ['gateway-unreachable', 0],
      ['gateway-server-error', 0],
      ['gateway-rate-limited', 0],
      ['gateway-timeout', 0],
      ['gateway-key-refused', 1],
      ['audit-damaged', 1],
      ['disk-full', 1],
    ] as const;
    for (const [code, atOnce] of codes) {
      const house = openHouse();
      house.fail(code);
      await house.passFor(25 * minute);
      expect([code, house.titles().length]).toEqual([code, atOnce]);
      house.clock.advance(5 * minute);
      await house.passFor(0);
      expect([code, house.titles()]).toEqual([code, [stuck]]);
    }
  });

  it('for less than half an hour are not told of, nor that they move on', async () => {
    const house = openHouse();
    for (let times = 0; times < 10; times += 1) {
      house.fail('gateway-unreachable');
      await house.passFor(20 * minute);
      house.mend();
      await house.passFor(5 * minute);
    }
    expect(house.titles()).toEqual([]);
  });

  it('by what was passing and no longer is are told of at once', async () => {
    const house = openHouse();
    house.fail('gateway-unreachable');
    await house.passFor(10 * minute);
    house.fail('gateway-key-refused');
    await house.passFor(0);
    expect(house.letters().map(({ words }) => words)).toEqual([
      expect.stringContaining('gateway-key-refused it is'),
    ]);
  });

  it('by one outage that shows in many ways are told of once, and again after a week of it', async () => {
    const house = openHouse();
    await house.passFor(0);
    const ways = ['gateway-unreachable', 'gateway-timeout', 'gateway-server-error'] as const;
    for (let hours = 0; hours < 24 * 6; hours += 1) {
      house.fail(ways[hours % 3] ?? 'gateway-unreachable');
      await house.passFor(55 * minute);
      house.clock.advance(5 * minute);
    }
    expect(house.titles()).toEqual([stuck]);
    house.clock.advance(day);
    await house.passFor(day);
    expect(house.titles()).toEqual([stuck, stuck]);
    house.mend();
    await house.passFor(0);
    expect(house.titles()).toEqual([stuck, stuck, over]);
  });

  it('are told of at most once a day by a program that is started again and again', async () => {
    const house = openHouse('2026-01-10T00:00:00Z');
    house.fail('gateway-key-refused');
    for (let times = 0; times < 20; times += 1) {
      await house.passFor(30 * minute);
      house.restart();
    }
    expect(house.titles()).toEqual([stuck]);
    house.clock.set(Date.parse('2026-01-11T00:00:00Z'));
    house.restart();
    await house.passFor(0);
    expect(house.titles()).toEqual([stuck, stuck]);
  });

  it('are told of again on the same day, once they had moved on, but not time after time', async () => {
    const house = openHouse();
    house.fail('gateway-key-refused');
    await house.passFor(0);
    house.mend();
    house.clock.advance(2 * hour);
    await house.passFor(0);
    house.fail('gateway-key-refused');
    await house.passFor(0);
    expect(house.titles()).toEqual([stuck, over, stuck]);
    // It comes and goes with each pass, for three hours.
    for (let times = 0; times < 18; times += 1) {
      house.mend();
      await house.passFor(5 * minute);
      house.fail('gateway-key-refused');
      await house.passFor(5 * minute);
    }
    expect(house.titles().length).toBeLessThanOrEqual(10);
    expect(house.titles().at(-1)).toBe(stuck);
  });

  it('of one account keep no other waiting, and are told of each by its own', async () => {
    const house = openHouse();
    house.fail('gateway-key-refused', 'main');
    await house.passFor(0);
    expect(house.asked).toEqual(['main', 'other']);
    house.fail('gateway-key-refused', 'other');
    await house.passFor(0);
    expect(house.letters().map(({ account }) => account)).toEqual(['main', 'other']);
  });

  it('that are there no more move on no more', async () => {
    const house = openHouse();
    house.fail('gateway-key-refused');
    await house.passFor(0);
    house.closed.add('main');
    await house.passFor(hour);
    house.mend();
    house.closed.clear();
    await house.passFor(0);
    expect(house.titles()).toEqual([stuck]);
  });
});

const closed = 'nothing is done to keys: their journal does not hold';
const holds = 'the journal of keys holds again: rotations move on again';

describe('a journal of keys that does not hold', () => {
  it('is told of at once though nothing is due, again each week, and when it holds again', async () => {
    const house = openHouse();
    house.closed.add('main').add('other');
    await house.passFor(hour);
    expect(house.titles()).toEqual([]);
    house.damage();
    await house.passFor(6 * day);
    expect(house.titles()).toEqual([closed]);
    expect(house.letters()[0]).toMatchObject({ kind: 'failed', account: '', service: '' });
    expect(house.letters()[0]?.words).toMatch(
      /^line 2 is not it\. .*since 2026-01-10T09:00:00Z.* What to do: move it aside\.$/,
    );
    await house.passFor(2 * day);
    expect(house.titles()).toEqual([closed, closed]);
    await house.passFor(7 * day);
    expect(house.titles()).toEqual([closed, closed, closed]);
    house.restore();
    await house.passFor(hour);
    expect(house.titles()).toEqual([closed, closed, closed, holds]);
  });

  it('is one letter, not one for each account, and no step is tried meanwhile', async () => {
    const house = openHouse();
    house.damage();
    await house.passFor(hour);
    expect([house.titles(), house.asked]).toEqual([[closed], []]);
    house.restore();
    await house.passFor(0);
    expect(house.asked).toEqual(['main', 'other']);
  });

  it('from the start is told of once a day by a program that is started again and again', async () => {
    const house = openHouse('2026-01-10T00:00:00Z');
    house.damage();
    for (let times = 0; times < 10; times += 1) {
      await house.passFor(30 * minute);
      house.restart();
    }
    expect(house.titles()).toEqual([closed]);
    house.clock.set(Date.parse('2026-01-11T00:00:00Z'));
    house.restart();
    await house.passFor(0);
    expect(house.titles()).toEqual([closed, closed]);
  });
});
