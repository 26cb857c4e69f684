import { expect } from 'vitest';
import { noProgress, unixSeconds } from '../../src/core/index.ts';
import { collectExpiryEvidence } from '../../src/jobs/expire-keys/collect-expiry-evidence.ts';
import { type KeyUse, type ExpiryPolicy, type PlannedExpiry, planExpiry } from '../../src/keys/index.ts';
import { engineFixture, hour, memorySink, stillClock } from './engine-fixture.ts';

export const quiet = hour;

const signal = new AbortController().signal;

type Call = { readonly name: string; readonly at: number };

/** Why a key may end: what a person or a setting names is exempt from that rule. */
type Exemption = { readonly held?: boolean; readonly used?: boolean };

/** An engine over three sinks, one of which is declared; what it ends is held against who made, holds or calls it. */
export const openCity = async () => {
  const time = stillClock();
  const all = ['memory:one', 'memory:two', 'memory:three'].map((place) => memorySink(place));
  const calls: Call[] = [];
  const usesOf = (names: readonly string[], isIn: (call: Call) => boolean): ReadonlyMap<string, KeyUse> =>
    new Map(
      names.map((name): [string, KeyUse] => {
        const found = calls.filter((call) => call.name === name && isIn(call));
        const lastCall = unixSeconds(Math.floor((found.at(-1)?.at ?? 0) / 1000));
        return [name, { calls: found.length, ...(found.length > 0 ? { lastCall } : {}), models: [] }];
      }),
    );
  const fixture = await engineFixture({
    time,
    recentCalls: async (names, since) => usesOf(names, ({ at }) => at >= since * 1000),
  });
  const { gateway, state, evidence } = fixture;
  const [first] = all;
  state.sinks = first === undefined ? [] : [first.sink];
  const byHand = new Set<number>();
  /** Keys that a person, or a setting that names them, ends. */
  const exempt = new Map<number, Exemption>();
  const plaintexts = new Map<number, string>();
  /** A key may be made with an end. */
  const endsAtFirst = new Map<number, unknown>();
  const call = (id: number): void => {
    const key = gateway.keys.get(id);
    if (key === undefined || !gateway.works(key.plaintext)) return;
    const one = { name: key.name, at: time.clock.now() };
    calls.push(one);
    state.calls.push(one);
  };
  const remember = (): void => {
    for (const [id, { plaintext, expiredTime }] of gateway.keys) {
      plaintexts.set(id, plaintext);
      if (!endsAtFirst.has(id)) endsAtFirst.set(id, expiredTime);
    }
  };
  const ended = (): readonly number[] =>
    [...plaintexts.keys()].filter((id) => {
      const key = gateway.keys.get(id);
      return key === undefined || key.expiredTime !== endsAtFirst.get(id);
    });
  const checked = new Set<number>();
  const nameOf = (id: number): string =>
    [...gateway.deleted, ...gateway.keys.values()].find((key) => key.id === id)?.name ?? '';
  /** The places that a plaintext is in, of those that the journal or the configuration knows. */
  const holders = (id: number): readonly string[] => {
    const known = fixture.journal().state('main').places.get('billing') ?? new Set();
    const declared = state.declared ? state.sinks.map(({ place }) => place) : [];
    return all.flatMap(({ sink: { place }, contents }) =>
      contents.value === plaintexts.get(id) && (known.has(place) || declared.includes(place)) ? [place] : [],
    );
  };
  const isCalled = (name: string): boolean => {
    const last = calls.findLast((one) => one.name === name)?.at;
    return last !== undefined && time.clock.now() - last < quiet;
  };
  /** Each key that has ended since the last look ended for a reason. Returns them. */
  const check = (): readonly number[] => {
    const fresh = ended().filter((id) => !checked.has(id));
    for (const id of fresh) {
      checked.add(id);
      const name = nameOf(id);
      const { held, used } = exempt.get(id) ?? {};
      if (!exempt.has(id)) expect([id, name, name.startsWith('billing')]).toEqual([id, name, true]);
      if (held !== true) expect([name, holders(id)]).toEqual([name, []]);
      if (used !== true && (exempt.has(id) || byHand.has(id)))
        expect([name, isCalled(name)]).toEqual([name, false]);
    }
    return fresh;
  };
  /** Returns the keys that it ended. */
  const end = async (
    planned: readonly PlannedExpiry[],
    who: string,
    exemption: Exemption,
  ): Promise<readonly number[]> => {
    const results = await fixture.keyService().expire(planned, who, signal);
    const done = results.flatMap((one) => (one.done ? [one.keyId] : []));
    for (const id of done) exempt.set(id, exemption);
    return done;
  };
  /** A run of a job `expire-keys`; `meanwhile` comes between its plan and the end of keys. Returns the keys that it ended. */
  const expireJob = async (
    policy: ExpiryPolicy,
    meanwhile: (planned: readonly PlannedExpiry[]) => void,
  ): Promise<readonly number[]> => {
    const keyService = fixture.keyService();
    const survey = await keyService.survey(signal);
    const found = await collectExpiryEvidence(survey, policy, {
      account: 'main',
      warehouse: {
        keys: {
          logComplete: evidence.logComplete,
          namesOf: evidence.namesOf,
          uses: async (_account, names, { start, end }) =>
            usesOf(names, ({ at }) => at >= start * 1000 && at < end * 1000),
          idsOf: async (account, names, since) =>
            new Map(
              await Promise.all(
                names.map(async (name) => [name, await evidence.idsNamed(account, name, since)] as const),
              ),
            ),
        },
        snapshots: {
          inventoryAt: async (_account, moment) => {
            const shown = state.shown.findLast(({ at }) => at <= moment);
            return shown && { takenAt: shown.at, keys: [...shown.names].map(([id, name]) => ({ id, name })) };
          },
        },
      },
      teams: [],
      history: await keyService.history(),
      keyService,
      progress: noProgress,
      signal,
    });
    const plan = planExpiry(survey, policy, found, []);
    const planned = plan.expiries.map((one) => one.planned);
    meanwhile(planned);
    return end(planned, 'job expire', { held: policy.evenIfCurrent, used: policy.evenIfUsed });
  };
  return { fixture, all, byHand, exempt, call, remember, check, end, expireJob, time };
};
