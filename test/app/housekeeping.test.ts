import { describe, expect, it } from 'vitest';
import { createHousekeeping } from '../../src/app/serve/housekeeping.ts';
import type { App } from '../../src/app/index.ts';
import type { Reload } from '../../src/app/serve/reload.ts';
import { fault, silentLog, type Fault, type FaultCode, type Deps } from '../../src/core/index.ts';
import type { KeyAlert } from '../../src/keys/index.ts';
import { manualClock } from '../support/manual-clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A daemon's work on the rotations of two accounts; each letter is queued once, as the outbox does. */
const openFixture = (start = '2026-01-10T08:00:00Z') => {
  const clock = manualClock(Date.parse(start));
  const failures = new Map<string, Error>();
  const closed = new Set<string>();
  const journal: { problem?: Fault } = {};
  const asked: string[] = [];
  const letters = new Map<string, KeyAlert>();
  const keyService = (account: string) => ({
    open: async () => (closed.has(account) ? [] : [{}]),
    advance: async () => {
      asked.push(account);
      const failure = failures.get(account);
      if (failure !== undefined) throw failure;
      return [];
    },
  });
  const runtime = {
    config: { settings: { accounts: { main: {}, other: {} } } },
    delivery: { routes: [] },
    keyService: keyService,
    notifications: {
      sendKeyAlert: async (alert: KeyAlert) => {
        if (!letters.has(alert.key)) letters.set(alert.key, alert);
      },
    },
  };
  const lease = () => ({ ...runtime, [Symbol.dispose]: () => undefined });
  const app = { lease, keyProblem: async () => journal.problem } as unknown as App;
  const boot = () =>
    createHousekeeping(
      app,
      {} as Reload,
      { look: async () => undefined },
      { clock } as unknown as Deps,
      silentLog,
    );
  let works = boot();
  /** Asked for again each time, as the daemon does. */
  const work = () => {
    const found = works().find(({ name }) => name === 'rotations');
    if (found === undefined) throw new Error('no work on rotations');
    return found;
  };
  const { signal } = new AbortController();
  const fixture = {
    clock,
    asked,
    closed,
    damage: (message = 'line 2 is not it') => {
      journal.problem = fault('audit-damaged', message, { advice: 'move it aside' });
    },
    restore: () => {
      delete journal.problem;
    },
    restart: () => {
      works = boot();
    },
    fail: (code: FaultCode, account = 'main') => void failures.set(account, fault(code, `${code} it is`)),
    fix: (account = 'main') => void failures.delete(account),
    /** Goes over the rotations every five minutes for so long, the end included. */
    passFor: async (millis: number) => {
      for (let gone = 0; ; gone += 5 * minute) {
        await work().run(signal);
        if (gone >= millis) return;
        clock.advance(5 * minute);
      }
    },
    events: () => [...letters.values()].map(({ about }) => about.event),
    letters: () => [...letters.values()],
  };
  return fixture;
};

describe('rotations that cannot be advanced', () => {
  it('are reported each time they start to be blocked, and when they advance again', async () => {
    const fixture = openFixture();
    await fixture.passFor(hour);
    fixture.fail('gateway-unreachable');
    await fixture.passFor(hour);
    expect(fixture.events()).toEqual(['stuck']);
    fixture.fix();
    await fixture.passFor(hour);
    expect(fixture.events()).toEqual(['stuck', 'stuck-over']);
    expect(fixture.letters()[1]).toMatchObject({
      kind: 'done',
      about: { since: Date.parse('2026-01-10T09:00:00Z') },
    });
    fixture.clock.set(Date.parse('2026-06-02T10:00:00Z'));
    fixture.fail('gateway-unreachable');
    await fixture.passFor(hour);
    fixture.fix();
    await fixture.passFor(0);
    expect(fixture.events()).toEqual(['stuck', 'stuck-over', 'stuck', 'stuck-over']);
  });

  it('are reported after half an hour for a temporary cause, and at once for any other', async () => {
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
      const fixture = openFixture();
      fixture.fail(code);
      await fixture.passFor(25 * minute);
      expect([code, fixture.events().length]).toEqual([code, atOnce]);
      fixture.clock.advance(5 * minute);
      await fixture.passFor(0);
      expect([code, fixture.events()]).toEqual([code, ['stuck']]);
    }
  });

  it('are not reported when they are blocked for less than half an hour', async () => {
    const fixture = openFixture();
    for (let times = 0; times < 10; times += 1) {
      fixture.fail('gateway-unreachable');
      await fixture.passFor(20 * minute);
      fixture.fix();
      await fixture.passFor(5 * minute);
    }
    expect(fixture.events()).toEqual([]);
  });

  it('are reported at once when a temporary cause becomes permanent', async () => {
    const fixture = openFixture();
    fixture.fail('gateway-unreachable');
    await fixture.passFor(10 * minute);
    fixture.fail('gateway-key-refused');
    await fixture.passFor(0);
    expect(fixture.letters()).toMatchObject([{ about: { why: 'gateway-key-refused it is' } }]);
  });

  it('are reported once for an outage with several symptoms, and again after a week', async () => {
    const fixture = openFixture();
    await fixture.passFor(0);
    const ways = ['gateway-unreachable', 'gateway-timeout', 'gateway-server-error'] as const;
    for (let hours = 0; hours < 24 * 6; hours += 1) {
      fixture.fail(ways[hours % 3] ?? 'gateway-unreachable');
      await fixture.passFor(55 * minute);
      fixture.clock.advance(5 * minute);
    }
    expect(fixture.events()).toEqual(['stuck']);
    fixture.clock.advance(day);
    await fixture.passFor(day);
    expect(fixture.events()).toEqual(['stuck', 'stuck']);
    fixture.fix();
    await fixture.passFor(0);
    expect(fixture.events()).toEqual(['stuck', 'stuck', 'stuck-over']);
  });

  it('are reported at most once a day by a program that restarts repeatedly, and so is an invalid key journal', async () => {
    for (const event of ['stuck', 'closed']) {
      const fixture = openFixture('2026-01-10T00:00:00Z');
      if (event === 'closed') fixture.damage();
      else fixture.fail('gateway-key-refused');
      for (let times = 0; times < 20; times += 1) {
        await fixture.passFor(30 * minute);
        fixture.restart();
      }
      expect(fixture.events()).toEqual([event]);
      fixture.clock.set(Date.parse('2026-01-11T00:00:00Z'));
      fixture.restart();
      await fixture.passFor(0);
      expect(fixture.events()).toEqual([event, event]);
    }
  });

  it('are reported again on the same day after they advanced, but not repeatedly', async () => {
    const fixture = openFixture();
    fixture.fail('gateway-key-refused');
    await fixture.passFor(0);
    fixture.fix();
    fixture.clock.advance(2 * hour);
    await fixture.passFor(0);
    fixture.fail('gateway-key-refused');
    await fixture.passFor(0);
    expect(fixture.events()).toEqual(['stuck', 'stuck-over', 'stuck']);
    // It comes and goes with each pass, for three hours.
    for (let times = 0; times < 18; times += 1) {
      fixture.fix();
      await fixture.passFor(5 * minute);
      fixture.fail('gateway-key-refused');
      await fixture.passFor(5 * minute);
    }
    expect(fixture.events().length).toBeLessThanOrEqual(10);
    expect(fixture.events().at(-1)).toBe('stuck');
  });

  it('do not delay other accounts, and are reported per account', async () => {
    const fixture = openFixture();
    fixture.fail('gateway-key-refused', 'main');
    await fixture.passFor(0);
    expect(fixture.asked).toEqual(['main', 'other']);
    fixture.fail('gateway-key-refused', 'other');
    await fixture.passFor(0);
    expect(fixture.letters().map(({ account }) => account)).toEqual(['main', 'other']);
  });

  it('are not reported as advancing once they no longer exist', async () => {
    const fixture = openFixture();
    fixture.fail('gateway-key-refused');
    await fixture.passFor(0);
    fixture.closed.add('main');
    await fixture.passFor(hour);
    fixture.fix();
    fixture.closed.clear();
    await fixture.passFor(0);
    expect(fixture.events()).toEqual(['stuck']);
  });
});

describe('a key journal that fails verification', () => {
  it('is reported at once although nothing is due, again each week, and when it is valid again', async () => {
    const fixture = openFixture();
    fixture.closed.add('main').add('other');
    await fixture.passFor(hour);
    expect(fixture.events()).toEqual([]);
    fixture.damage();
    await fixture.passFor(6 * day);
    expect(fixture.events()).toEqual(['closed']);
    expect(fixture.letters()[0]).toMatchObject({
      kind: 'failed',
      account: '',
      service: '',
      about: { why: 'line 2 is not it', since: Date.parse('2026-01-10T09:00:00Z') },
      fault: { advice: 'move it aside' },
    });
    await fixture.passFor(2 * day);
    expect(fixture.events()).toEqual(['closed', 'closed']);
    await fixture.passFor(7 * day);
    expect(fixture.events()).toEqual(['closed', 'closed', 'closed']);
    fixture.restore();
    await fixture.passFor(hour);
    expect(fixture.events()).toEqual(['closed', 'closed', 'closed', 'closed-over']);
  });

  it('causes one notification for all accounts, and stops all steps', async () => {
    const fixture = openFixture();
    fixture.damage();
    await fixture.passFor(hour);
    expect([fixture.events(), fixture.asked]).toEqual([['closed'], []]);
    fixture.restore();
    await fixture.passFor(0);
    expect(fixture.asked).toEqual(['main', 'other']);
  });
});
