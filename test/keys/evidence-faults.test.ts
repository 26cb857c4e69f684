import { describe, expect, it } from 'vitest';
import { parseKeyEvent } from '../../src/keys/key-event.ts';
import type { EngineFixture } from './engine-fixture.ts';
import { engineFixture, hour } from './engine-fixture.ts';

const minute = 60_000;
const day = 24 * hour;

const isThere = ({ gateway }: EngineFixture, id: number): boolean => gateway.keys.has(id);

/** What the journal says of a step, the newest last. */
const noted = async (fixture: EngineFixture, what: string) =>
  (await fixture.keyService().history('billing')).filter((event) => event.what === what);

describe('an old key that somebody renames', () => {
  it('after the cutover stays while it is used under its new name, which is told', async () => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun();
    fixture.rename(old, 'billing-legacy');
    fixture.elapse(2 * hour);
    fixture.used('billing-legacy', minute);
    fixture.used('billing.g2', minute);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
    expect(fixture.alert.map(({ kind, message }) => [kind, message])).toEqual([
      ['held', expect.stringMatching(/^billing\.g1 is still used under its name billing-legacy: 1 call, /)],
    ]);
  });

  it('between its adoption and the cutover stays likewise', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1');
    const id = await fixture.start(old);
    fixture.rename(old, 'billing-legacy');
    await fixture.advance([id]);
    fixture.elapse(2 * hour);
    fixture.used('billing-legacy', minute);
    fixture.used('billing.g2', minute);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
  });

  it('and renames back stays while it was used under any of the names, whose uses are one', async () => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun({ retire: { when: 'unused', quiet: 6 * hour, ending: 'delete' } });
    fixture.elapse(7 * hour);
    fixture.rename(old, 'billing-legacy');
    fixture.used('billing.g1', hour);
    await fixture.advance();
    fixture.used('billing-legacy', minute);
    fixture.rename(old, 'billing.g1');
    fixture.used('billing.g2', minute);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
    fixture.elapse(5 * minute);
    await fixture.restart();
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
    expect((await noted(fixture, 'held')).at(-1)).toMatchObject({ reason: 'used' });
    fixture.elapse(5 * hour + 30 * minute);
    // The call under the first name is out of the quiet time, that under the other is not.
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
  });

  it('sums the uses of all of its names: models together, the last call the latest', async () => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun();
    fixture.rename(old, 'billing-legacy');
    fixture.elapse(2 * hour);
    const last = fixture.clock.now() - minute;
    fixture.used('billing.g1', 30 * minute);
    fixture.used('billing-legacy', 20 * minute);
    fixture.used('billing.g1', minute);
    await fixture.advance();
    expect(fixture.alert[0]?.use).toEqual({
      calls: 3,
      lastCall: Math.floor(last / 1000),
      models: [{ model: 'm', calls: 3 }],
    });
    expect(fixture.alert[0]?.message).toContain('under its names billing.g1 and billing-legacy: 3 calls');
  });

  it('goes when it is quiet under each of its names, which its proof tells', async () => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun();
    fixture.rename(old, 'billing-legacy');
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', minute);
    await fixture.advance();
    const [quiet] = await noted(fixture, 'quiet');
    expect(quiet).toMatchObject({ name: 'billing.g1', names: ['billing.g1', 'billing-legacy'] });
    expect(quiet).toMatchObject({ evidence: expect.stringContaining('billing.g1 (also billing-legacy)') });
  });

  it('is held when another key bears the new name', async () => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun();
    const other = fixture.gateway.add('billing-legacy');
    fixture.rename(old, 'billing-legacy');
    fixture.elapse(2 * hour);
    fixture.used('billing.g2', minute);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
    expect((await noted(fixture, 'held'))[0]).toMatchObject({
      reason: 'name-shared',
      words: expect.stringContaining(`(ids ${other})`),
    });
  });
});

describe('a successor that somebody renames', () => {
  it('counts as used under its new name', async () => {
    await using fixture = await engineFixture();
    const { old, moved } = await fixture.begun();
    fixture.rename(moved?.view.candidate?.keyId ?? 0, 'billing-now');
    fixture.elapse(2 * hour);
    fixture.used('billing-now', minute);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(false);
  });

  it('to the name that the old key bore is told from it by nobody', async () => {
    await using fixture = await engineFixture();
    const { old, moved } = await fixture.begun();
    fixture.elapse(5 * minute);
    fixture.rename(old, 'billing-legacy');
    await fixture.advance();
    fixture.rename(moved?.view.candidate?.keyId ?? 0, 'billing.g1');
    fixture.elapse(10 * hour);
    fixture.used('billing-legacy', 9 * hour);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
    expect((await noted(fixture, 'held'))[0]).toMatchObject({
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
    await using fixture = await engineFixture();
    const { old } = await fixture.begun();
    fixture.state.logLag = hour;
    fixture.elapse(3 * hour);
    fixture.used('billing.g2', 90 * minute);
    fixture.used('billing.g1', 10 * minute);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
    expect((await noted(fixture, 'held'))[0]).toMatchObject({ reason: 'used' });
  });

  it('is stamped by a clock that runs ahead and holds the old key all the same', async () => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun();
    fixture.elapse(3 * hour);
    fixture.used('billing.g2', minute);
    fixture.used('billing.g1', -5 * minute);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
  });

  it('is told though the log is not whole for long', async () => {
    await using fixture = await engineFixture();
    await fixture.begun();
    fixture.elapse(5 * hour);
    fixture.state.logLag = 4 * hour;
    fixture.used('billing.g1', 30 * minute);
    await fixture.advance();
    expect((await noted(fixture, 'held'))[0]).toMatchObject({ reason: 'used' });
    fixture.elapse(2 * hour);
    fixture.state.logLag = 6 * hour;
    await fixture.advance();
    expect((await noted(fixture, 'held')).at(-1)).toMatchObject({ reason: 'log-incomplete' });
  });
});

describe('why an old key stays', () => {
  it('is reported once when the log stays incomplete, however early that was written down', async () => {
    await using fixture = await engineFixture();
    await fixture.begun();
    fixture.state.logLag = 100 * day;
    for (let hours = 0; hours < 26; hours += 1) {
      fixture.elapse(hour - 1000);
      await fixture.advance();
    }
    expect(await noted(fixture, 'held')).toMatchObject([{ reason: 'log-incomplete' }]);
    expect(fixture.alert).toEqual([]);
    fixture.elapse(hour);
    await fixture.advance();
    expect(fixture.alert.map(({ kind, message }) => [kind, message])).toEqual([
      ['held', expect.stringContaining('the call log does not reach far enough')],
    ]);
    for (let cycles = 0; cycles < 3; cycles += 1) {
      fixture.elapse(5 * minute);
      if (cycles === 1) await fixture.restart();
      await fixture.advance();
    }
    expect(fixture.alert).toHaveLength(1);
  });

  it.each([
    ['held', 0, 2 * hour],
    ['held', 100 * day, 3 * day],
    ['escalated', 100 * day, 20 * day],
  ])(
    'is told though the program dies as it writes it down: %s, a log %d ms behind',
    async (what, lag, later) => {
      await using fixture = await engineFixture();
      await fixture.begun({
        retire: { when: 'unused', quiet: hour, ending: 'delete', maxOverlap: 10 * day },
      });
      if (lag > 0) {
        fixture.state.logLag = lag;
        fixture.elapse(2 * hour);
        await fixture.advance();
        expect(fixture.alert).toEqual([]);
      }
      fixture.elapse(later);
      if (lag === 0) fixture.used('billing.g1', minute);
      let died = 0;
      fixture.state.at = (mark) => {
        if (mark !== `after record ${what}`) return;
        died += 1;
        throw new RangeError('it died');
      };
      await fixture.advance().catch(() => undefined);
      fixture.state.at = () => undefined;
      await fixture.restart();
      await fixture.advance();
      expect(died).toBe(1);
      expect(fixture.alert.filter(({ kind }) => kind === what)).not.toEqual([]);
    },
  );

  it('and that a quota can be spent twice is told though it dies at the cutover', async () => {
    await using fixture = await engineFixture();
    const old = fixture.gateway.add('billing.g1', { unlimitedQuota: false, remainQuota: '10' as never });
    const id = await fixture.start(old);
    fixture.state.at = (mark) => {
      if (mark === 'after record current') throw new RangeError('it died');
    };
    await fixture.advance([id]).catch(() => undefined);
    fixture.state.at = () => undefined;
    await fixture.restart();
    await fixture.advance();
    expect(fixture.alert.map(({ kind }) => kind)).toContain('exposure');
  });
});

describe('our own call that verified the successor', () => {
  it.each([
    ['a second', 6 * hour, 1000],
    ['a quarter of an hour less a second', 6 * hour, 15 * minute - 1000],
    ['nearly half of a short quiet time', 20 * minute, 10 * minute - 1000],
  ])('is nobody’s use, stamped %s after the cutover', async (_title, quiet, after) => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun({ retire: { when: 'unused', quiet, ending: 'delete' } });
    fixture.state.calls.push({ name: 'billing.g2', at: fixture.clock.now() + after });
    fixture.elapse(12 * hour);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(true);
    expect((await noted(fixture, 'held'))[0]).toMatchObject({ reason: 'successor-unused' });
  });

  it.each([
    ['a quarter of an hour', 6 * hour, 15 * minute],
    ['half of a short quiet time', 20 * minute, 10 * minute],
  ])('a call %s after it is somebody’s', async (_title, quiet, after) => {
    await using fixture = await engineFixture();
    const { old } = await fixture.begun({ retire: { when: 'unused', quiet, ending: 'delete' } });
    fixture.state.calls.push({ name: 'billing.g2', at: fixture.clock.now() + after });
    fixture.elapse(12 * hour);
    await fixture.advance();
    expect(isThere(fixture, old)).toBe(false);
  });
});
