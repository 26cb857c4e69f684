import { describe, expect, it } from 'vitest';
import { money, unixSeconds } from '../../src/core/index.ts';
import { describeUse } from '../../src/keys/events/describe.ts';
import { type EngineFixture, hour, memorySink, begunFixture } from './engine-fixture.ts';

const minute = 60_000;
const signal = new AbortController().signal;

const whatOf = async (fixture: EngineFixture): Promise<readonly string[]> =>
  (await fixture.keyService().history('billing')).map(({ what }) => what);
const viewOf = async (fixture: EngineFixture) => (await fixture.keyService().open())[0];

/** The old key is proven to be unused. */
const fallIdle = (fixture: EngineFixture): void => {
  fixture.elapse(2 * hour);
  fixture.used('billing.g2', minute);
};

describe('an old key that a place of the journal may hold', () => {
  it('stays when its job leaves the configuration after the cutover, and goes once the job is back', async () => {
    const { fixture, old } = await begunFixture();
    fixture.state.declared = false;
    for (let round = 0; round < 3; round += 1) {
      fallIdle(fixture);
      await fixture.advance();
    }
    expect(fixture.gateway.keys.has(old)).toBe(true);
    expect(await viewOf(fixture)).toMatchObject({ isHeldByPlace: true });
    expect(new Set(fixture.alert.map(({ key }) => key)).size).toBe(1);
    expect(fixture.alert[0]).toMatchObject({
      kind: 'held',
      message: expect.stringContaining('keys give-up billing --forget-places') as string,
    });
    fixture.state.declared = true;
    fallIdle(fixture);
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g2']);
  });

  it('stays when `deliver` points elsewhere and a person has put the old key back into the former sink', async () => {
    const { fixture, old } = await begunFixture();
    fixture.sink.contents.value = fixture.gateway.plaintextOf(old);
    const other = memorySink('file:/secrets/other');
    fixture.state.sinks = [other.sink];
    fallIdle(fixture);
    await fixture.advance();
    expect(fixture.gateway.keys.has(old)).toBe(true);
    expect((await viewOf(fixture))?.message).toContain(fixture.sink.sink.place);
  });

  it('goes once a person confirms that the place holds no key, and the audit log records who', async () => {
    const { fixture } = await begunFixture();
    const other = memorySink('file:/secrets/other');
    fixture.state.sinks = [other.sink];
    fallIdle(fixture);
    await fixture.advance();
    await fixture.keyService().forgetPlaces('billing', 'person anna', signal);
    expect(
      (await fixture.keyService().history('billing')).find(({ what }) => what === 'places-forgotten'),
    ).toMatchObject({
      what: 'places-forgotten',
      who: 'person anna',
      places: [fixture.sink.sink.place],
    });
    fallIdle(fixture);
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g2']);
    await expect(fixture.keyService().forgetPlaces('billing', 'person anna', signal)).rejects.toMatchObject({
      code: 'wrong-use',
    });
  });

  it('goes at once when it leaked, and the step names the places that were not read', async () => {
    const { fixture } = await begunFixture();
    const other = memorySink('file:/secrets/other');
    fixture.state.sinks = [other.sink];
    const [open] = await fixture.keyService().open();
    const retire = { when: 'now', quiet: hour, ending: 'delete' } as const;
    await fixture.leak(open?.candidate?.keyId ?? 0, { retire });
    await fixture.advance();
    await fixture.advance();
    expect(fixture.names()).not.toContain('billing.g2');
    const deleting = (await fixture.keyService().history('billing')).find(({ what }) => what === 'deleting');
    expect(deleting).toMatchObject({ why: 'leaked', unread: [fixture.sink.sink.place] });
  });
});

describe('an old key that ends after the overlap', () => {
  const timed = { retire: { when: 'after-overlap', quiet: hour, ending: 'delete' } } as const;

  it('gets its former expiry back when a sink holds it again, and ends once the sink holds its successor', async () => {
    const { fixture, old } = await begunFixture({ ...timed, overlap: 4 * hour });
    await fixture.advance();
    expect(fixture.gateway.keys.get(old)?.expiredTime).not.toBe('never');
    const successor = fixture.sink.contents.value;
    fixture.sink.contents.value = fixture.gateway.plaintextOf(old);
    await fixture.later(hour);
    await fixture.advance();
    expect(fixture.gateway.keys.get(old)?.expiredTime).toBe('never');
    expect(fixture.alert.filter(({ kind }) => kind === 'held')).toHaveLength(1);
    expect(await viewOf(fixture)).toMatchObject({ isHeldByPlace: true });
    await fixture.later(9 * hour);
    expect(fixture.gateway.works(fixture.gateway.plaintextOf(old))).toBe(true);
    fixture.sink.contents.value = successor;
    await fixture.advance();
    expect(await whatOf(fixture)).toContain('hold-ended');
    expect(fixture.gateway.works(fixture.gateway.plaintextOf(old))).toBe(true);
    await fixture.later(5 * hour);
    await fixture.advance();
    expect(fixture.names()).toEqual(['billing.g2']);
  });

  it('gets its former expiry back when its job leaves the configuration', async () => {
    const { fixture, old } = await begunFixture({ ...timed, overlap: 4 * hour });
    await fixture.advance();
    fixture.state.declared = false;
    await fixture.advance();
    expect(fixture.gateway.keys.get(old)?.expiredTime).toBe('never');
  });
});

it('the history describes the use of a key by its calls, models and spend', () => {
  const models = ['a', 'b', 'c', 'd'].map((model) => ({ model, calls: 1200 }));
  const lastCall = unixSeconds(Date.parse('2026-11-20T10:07:00Z') / 1000);
  const shown = describeUse({ calls: 4800, lastCall, spend: money('3.25'), models }, 'UTC').split(', ');
  expect([shown[0], shown.at(-2), shown.at(-1)]).toEqual(['4,800 calls', '1 more model', '3.25 spent']);
  expect(describeUse({ calls: 1, models: [] }, 'UTC')).toBe('1 call');
});
