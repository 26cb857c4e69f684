import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PlannedExpiry } from '../../src/keys/index.ts';
import { few } from '../support/storm.ts';
import { openCity, quiet } from './ownership-city.ts';

const minute = 60_000;

const which = fc.nat({ max: 5 });
const sinkNumber = fc.nat({ max: 2 });
const of = <const What extends string>(what: What) => fc.record({ what: fc.constant(what) });
const pass = fc.record({
  what: fc.constant('pass' as const),
  minutes: fc.integer({ min: 5, max: 150 }),
  // Consumers call with what the declared sinks hold, or only the newest key is called by somebody.
  calls: fc.constantFrom('sinks' as const, 'newest' as const),
});
/** What people and programs do to one service, one after the other. */
const deed = fc.oneof(
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
  fc.record({
    what: fc.constant('expire' as const),
    which,
    action: fc.constantFrom('now' as const, 'later' as const, 'delete' as const),
    evenIfCurrent: fc.boolean(),
  }),
  fc.record({
    what: fc.constant('expire job' as const),
    names: fc.constantFrom('billing*', 'other', '*'),
    by: fc.constantFrom('age' as const, 'idle' as const),
    ends: fc.constantFrom('expire' as const, 'delete' as const),
    evenIfUsed: fc.boolean(),
    evenIfCurrent: fc.boolean(),
    // Somebody calls with the keys, or one is put into a sink, after it is planned.
    meanwhile: fc.constantFrom('nothing' as const, 'call' as const, 'put into sink' as const),
  }),
  pass,
  pass,
  pass,
);

type Deed = typeof deed extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const everything = { held: true, used: true };
const actions: Record<'now' | 'later' | 'delete', PlannedExpiry['action']> = {
  now: { kind: 'expire', in: 0 },
  later: { kind: 'expire', in: quiet },
  delete: { kind: 'delete' },
};

const play = async (deeds: readonly Deed[]): Promise<void> => {
  const city = await openCity();
  const { fixture, all, byHand, exempt, time } = city;
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
    let mayEnd: readonly number[] | undefined;
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
        if (one.when === 'now') exempt.set(id, everything);
        // What a person rotates this way ends with the overlap, and so does each generation of our own.
        if (one.when === 'after-overlap')
          for (const other of gateway.keys.keys())
            if (other === id || !byHand.has(other)) exempt.set(other, everything);
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
      case 'expire': {
        const id = idOf(one.which);
        const key = gateway.keys.get(id ?? 0);
        if (id === undefined || key === undefined) break;
        const planned = {
          keyId: id,
          generation: 1,
          name: key.name,
          service: 'billing',
          action: actions[one.action],
          evenIfCurrent: one.evenIfCurrent,
        };
        mayEnd = await city.end([planned], 'person anna', { used: true, held: one.evenIfCurrent });
        break;
      }
      case 'expire job': {
        mayEnd = await city.expireJob(
          {
            job: 'expire',
            zone: 'UTC',
            select: { name: one.names },
            by: [one.by],
            stages: { [one.ends]: 2 * quiet },
            quiet,
            evenIfUsed: one.evenIfUsed,
            evenIfCurrent: one.evenIfCurrent,
            limits: { maxPerRun: { count: 100 }, minRemaining: 0 },
          },
          (planned) => {
            for (const { keyId } of planned)
              if (one.meanwhile === 'call') city.call(keyId);
              else if (one.meanwhile === 'put into sink' && all[0] !== undefined)
                all[0].contents.value = gateway.plaintextOf(keyId);
          },
        );
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
    const fresh = city.check();
    if (mayEnd !== undefined) expect(fresh.filter((id) => !mayEnd?.includes(id))).toEqual([]);
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
