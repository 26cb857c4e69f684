import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unixSeconds } from '../../src/core/index.ts';
import type { KeyUse } from '../../src/keys/key-event.ts';
import { few } from '../support/storm.ts';
import type { EngineFixture } from './engine-fixture.ts';
import { engineFixture, hour, memorySink, stillClock } from './engine-fixture.ts';

const minute = 60_000;
const quiet = hour;

/** What people and programs do to one service, one after the other. */
type Deed =
  | { readonly what: 'key by hand'; readonly name: string }
  | { readonly what: 'rotate'; readonly which: number; readonly when: 'unused' | 'after-overlap' | 'now' }
  | {
      readonly what:
        | 'give up'
        | 'forget places'
        | 'restart'
        | 'back up'
        | 'restore'
        | 'remove job'
        | 'declare job';
    }
  | { readonly what: 'put into sink'; readonly which: number; readonly sink: number }
  | { readonly what: 'declare sink'; readonly sink: number }
  | { readonly what: 'call'; readonly which: number }
  /** Consumers call with what the declared sinks hold, or only the newest key is called by somebody. */
  | { readonly what: 'pass'; readonly minutes: number; readonly calls: 'sinks' | 'newest' };

const which = fc.nat({ max: 5 });
const sinkNumber = fc.nat({ max: 2 });
const of = <What extends Deed['what']>(what: What) => fc.record({ what: fc.constant(what) });
const pass = fc.record({
  what: fc.constant('pass' as const),
  minutes: fc.integer({ min: 5, max: 150 }),
  calls: fc.constantFrom('sinks' as const, 'newest' as const),
});
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    what: fc.constant('key by hand' as const),
    name: fc.constantFrom('billing', 'billing.g2', 'billing.g3', 'other'),
  }),
  fc.record({
    what: fc.constant('rotate' as const),
    which,
    when: fc.constantFrom('unused' as const, 'unused' as const, 'after-overlap' as const, 'now' as const),
  }),
  fc.oneof(of('give up'), of('forget places'), of('restart'), of('back up'), of('restore')),
  fc.oneof(of('remove job'), of('declare job')),
  fc.record({ what: fc.constant('put into sink' as const), which, sink: sinkNumber }),
  fc.record({ what: fc.constant('declare sink' as const), sink: sinkNumber }),
  fc.record({ what: fc.constant('call' as const), which }),
  pass,
  pass,
  pass,
);

/** An engine over three sinks, one of which is declared; what it ends is held against who made, holds or calls it. */
const openCity = async () => {
  const time = stillClock();
  const all = ['memory:one', 'memory:two', 'memory:three'].map((place) => memorySink(place));
  const calls: { readonly name: string; readonly at: number }[] = [];
  const fixture: EngineFixture = await engineFixture({
    time,
    recentCalls: async (names, since) => {
      const uses = names.map((name): [string, KeyUse] => {
        const found = calls.filter((call) => call.name === name && call.at >= since * 1000);
        const lastCall = unixSeconds(Math.floor((found.at(-1)?.at ?? 0) / 1000));
        return [name, { calls: found.length, ...(found.length > 0 ? { lastCall } : {}), models: [] }];
      });
      return new Map(uses);
    },
  });
  const [first] = all;
  fixture.state.sinks = first === undefined ? [] : [first.sink];
  const byHand = new Set<number>();
  const named = new Set<number>();
  /** Keys of rotations that end them after the overlap, used or not, and that were there when one began. */
  const timed = new Set<number>();
  const plaintexts = new Map<number, string>();
  const call = (id: number): void => {
    const key = fixture.gateway.keys.get(id);
    if (key === undefined || !fixture.gateway.works(key.plaintext)) return;
    const one = { name: key.name, at: time.clock.now() };
    calls.push(one);
    fixture.state.calls.push(one);
  };
  const remember = (): void => {
    for (const [id, { plaintext }] of fixture.gateway.keys) plaintexts.set(id, plaintext);
  };
  const ended = (): readonly number[] =>
    [...plaintexts.keys()].filter((id) => {
      const key = fixture.gateway.keys.get(id);
      return key === undefined || key.expiredTime !== 'never';
    });
  const checked = new Set<number>();
  /** Each key that has ended since the last look ended for a reason. */
  const check = (): void => {
    for (const id of ended()) {
      if (checked.has(id)) continue;
      checked.add(id);
      const { name = '' } =
        [...fixture.gateway.deleted, ...fixture.gateway.keys.values()].find((key) => key.id === id) ?? {};
      expect([id, name, name.startsWith('billing')]).toEqual([id, name, true]);
      if (named.has(id) || timed.has(id)) continue;
      const plaintext = plaintexts.get(id);
      const known = fixture.journal().placesOf('main', 'billing');
      const declared = fixture.state.declared ? fixture.state.sinks.map(({ place }) => place) : [];
      const held = all.filter(
        ({ sink: { place }, contents }) =>
          contents.value === plaintext && (known.has(place) || declared.includes(place)),
      );
      expect([name, held.map(({ sink }) => sink.place)]).toEqual([name, []]);
      const last = calls.findLast((one) => one.name === name)?.at ?? 0;
      if (calls.filter((one) => one.name === name).length > 0 && byHand.has(id))
        expect([name, time.clock.now() - last >= quiet]).toEqual([name, true]);
    }
  };
  return { fixture, all, byHand, named, timed, call, remember, check, time };
};

const play = async (deeds: readonly Deed[]): Promise<void> => {
  const city = await openCity();
  const { fixture, all, byHand, named, timed, time } = city;
  await using _fixture = fixture;
  const { gateway } = fixture;
  let backup: Awaited<ReturnType<typeof fixture.backUp>> | undefined;
  const idOf = (at: number): number | undefined =>
    [...gateway.keys.keys()][at % Math.max(1, gateway.keys.size)];
  const start = gateway.add('billing');
  byHand.add(start);
  if (all[0] !== undefined) all[0].contents.value = gateway.plaintextOf(start);
  city.remember();
  for (const one of [...deeds, { what: 'pass', minutes: 150, calls: 'newest' } as const]) {
    switch (one.what) {
      case 'key by hand':
        byHand.add(gateway.add(one.name));
        break;
      case 'rotate': {
        const id = idOf(one.which);
        if (id === undefined || gateway.keys.get(id)?.name.startsWith('billing') !== true) break;
        const ids = await fixture
          .start(id, { overlap: quiet, retire: { when: one.when, quiet, ending: 'delete' } })
          .catch(() => '');
        if (ids === '') break;
        if (one.when === 'now') named.add(id);
        // What a person rotates this way ends with the overlap, and so does each generation of our own.
        if (one.when === 'after-overlap')
          for (const other of gateway.keys.keys()) if (other === id || !byHand.has(other)) timed.add(other);
        break;
      }
      case 'give up':
        await fixture
          .keyService()
          .giveUp('billing', 'person anna')
          .catch(() => undefined);
        break;
      case 'forget places':
        await fixture
          .keyService()
          .forgetPlaces('billing', 'person anna', new AbortController().signal)
          .catch(() => undefined);
        break;
      case 'restart':
        await fixture.restart();
        break;
      case 'back up':
        backup = await fixture.backUp();
        break;
      case 'restore':
        if (backup !== undefined) await fixture.load(backup);
        break;
      case 'remove job':
      case 'declare job':
        fixture.state.declared = one.what === 'declare job';
        break;
      case 'put into sink': {
        const id = idOf(one.which);
        const sink = all[one.sink];
        if (id === undefined || sink === undefined) break;
        sink.contents.value = gateway.plaintextOf(id);
        break;
      }
      case 'declare sink': {
        const sink = all[one.sink];
        if (sink !== undefined) fixture.state.sinks = [sink.sink];
        break;
      }
      case 'call': {
        const id = idOf(one.which);
        if (id !== undefined) city.call(id);
        break;
      }
      default:
        time.elapse(one.minutes * minute);
        if (one.calls === 'newest') city.call([...gateway.keys.keys()].at(-1) ?? 0);
        else
          for (const [id, { plaintext }] of gateway.keys)
            if (
              fixture.state.sinks.some(({ place }) =>
                all.some(({ sink, contents }) => sink.place === place && contents.value === plaintext),
              )
            )
              city.call(id);
        await fixture.advance().catch(() => undefined);
    }
    city.remember();
    city.check();
  }
};

it('no key ends that a known place holds, that somebody calls, or that neither Tollkeeper made nor a person named', async () => {
  await fc.assert(fc.asyncProperty(fc.array(deed, { minLength: 4, maxLength: 24 }), play), {
    numRuns: few(60, 2000),
    examples: [
      [
        [
          { what: 'key by hand', name: 'billing.g2' },
          { what: 'rotate', which: 0, when: 'unused' },
          { what: 'pass', minutes: 10, calls: 'sinks' },
          { what: 'put into sink', which: 0, sink: 0 },
          { what: 'remove job' },
          { what: 'pass', minutes: 150, calls: 'newest' },
          { what: 'pass', minutes: 150, calls: 'newest' },
        ],
      ],
    ],
  });
});
