import {
  fault,
  money,
  toSeconds,
  unixMillis,
  unixSeconds,
  type UnixMillis,
} from '../../../src/core/index.ts';
import { createKeyHandlers } from '../../../src/app/control/keys/handlers.ts';
import { createKeyWork } from '../../../src/app/control/keys/key-work.ts';
import { defaultTerms } from '../../keys/engine-fixture.ts';
import { surveyed as surveyedKey } from '../../keys/plan/survey.ts';
import type { FreshKeyPlan, KeyPlanner } from '../../../src/app/keys/job-plans.ts';
import {
  plannedRotation as planned,
  type KeyService,
  type KeyEvent,
  type PlannedExpiry,
  type PlannedRotation,
  type RotationTerms,
  type Advanced,
  type RotationView,
  type SurveyedKey,
} from '../../../src/keys/index.ts';

export const now = unixMillis(Date.parse('2026-11-21T08:30:00Z'));
const day = 86_400_000;

export const terms: RotationTerms = {
  ...defaultTerms,
  job: 'rotate-prod',
  overlap: 2 * day,
  retire: { ...defaultTerms.retire, quiet: day },
};

/** A key that is 40 days old and has no end. */
export const surveyed = (
  id: number,
  name: string,
  change: Partial<SurveyedKey> = {},
  key: Partial<SurveyedKey['key']> = {},
): SurveyedKey => {
  const [service = name, generation] = name.split('.g');
  const place = { service, generation: Number(generation ?? 1), known: generation !== undefined };
  const createdTime = toSeconds(unixMillis(now - 40 * day));
  const made = { remainQuota: money('12.5'), group: 'default', createdTime, ...key };
  return surveyedKey(name, { id, ...place, ...change, key: made });
};

export type FakeKeyService = KeyService & {
  keys: SurveyedKey[];
  rotations: RotationView[];
  events: KeyEvent[];
  /** What each call of `advance` makes of a rotation; it is done when there is none left. */
  steps: { view: Partial<RotationView>; moved: boolean; fault?: ReturnType<typeof fault> }[];
  /** Every write that was asked for. */
  readonly asked: unknown[];
};

export const fakeKeyService = (account: string, keys: SurveyedKey[]): FakeKeyService => {
  const keyService: FakeKeyService = {
    keys,
    rotations: [],
    events: [],
    steps: [],
    asked: [],
    survey: async () => ({ at: now, keys: keyService.keys }),
    outdated: async () => [],
    deadKeys: async () => [],
    inspect: async () => undefined,
    reconcile: async () => [],
    open: async () => keyService.rotations,
    start: async (planned, who) => {
      keyService.asked.push(['start', planned, who]);
      const fresh = planned.filter(
        ({ service }) => !keyService.rotations.some((one) => one.service === service),
      );
      return fresh.map(({ service, old }) => {
        const id = `r${keyService.rotations.length + 1}`;
        const part = old === undefined ? {} : { old: { keyId: old.keyId, name: old.name } };
        const message = 'it is planned';
        keyService.rotations.push({
          id,
          account,
          service,
          stage: 'planned',
          since: now,
          message,
          tries: 0,
          ...part,
        });
        return id;
      });
    },
    advance: async ({ ids, progress, untilIdle = false }) => {
      const latest = new Map<string, Advanced>();
      for (let left = ids; ;) {
        const rotations = keyService.rotations.filter(({ id }) => left === undefined || left.includes(id));
        const advanced = rotations.map((view) => {
          const step = keyService.steps.shift() ?? { moved: false, view: {} };
          const { moved, fault: error, view: change } = step;
          progress({ step: `rotating ${view.service}`, detail: change.stage ?? view.stage });
          const next = { ...view, ...change };
          keyService.rotations = keyService.rotations.map((one) => (one.id === view.id ? next : one));
          return { view: next, moved, ...(error === undefined ? {} : { fault: error }) };
        });
        for (const one of advanced) latest.set(one.view.id, one);
        const going = advanced.filter(({ moved, fault: error }) => moved && error === undefined);
        left = going.map(({ view }) => view.id);
        if (!untilIdle || left.length === 0) return [...latest.values()];
        for (const { view } of going)
          progress({ step: `${view.service}: ${view.stage}`, detail: view.message });
      }
    },
    expire: async (planned, who) => {
      if (planned.length > 0) keyService.asked.push(['expire', planned, who]);
      return planned.map((one) => ({
        account,
        keyId: one.keyId,
        name: one.name,
        done: one.keyId !== 13,
        message: `message of ${one.name}`,
      }));
    },
    adopt: async (key, who) => void keyService.asked.push(['adopt', key, who]),
    confirm: async (service, fingerprint, who) => {
      keyService.asked.push(['confirm', service, fingerprint, who]);
      return 'every place holds it';
    },
    resume: async (service, who) => {
      keyService.asked.push(['resume', service, who]);
      if (!keyService.rotations.some((one) => one.service === service))
        throw fault('wrong-use', `${service} has no rotation that waits`);
      return 'it goes on';
    },
    adoptAll: async () => 0,
    keptBySinks: async () => new Map(),
    awaitRefusal: async () => undefined,
    unusableSink: async () => undefined,
    releaseUndelivered: async () => undefined,
    forgetPlaces: async (service, who) => {
      keyService.asked.push(['forget-places', service, who]);
      return 'they are forgotten';
    },
    giveUp: async (service, who) => {
      keyService.asked.push(['give-up', service, who]);
      return 'it is given up';
    },
    history: async (service) =>
      keyService.events.filter((event) => service === undefined || event.service === service),
  };
  return keyService;
};

/** The commands of keys over fake key services, one an account; rotate-prod covers all of the first account's that begin with `b`. */
export const keyFixture = (
  keyServices: Readonly<Record<string, FakeKeyService>>,
  { at = now, through = at }: { readonly at?: UnixMillis; readonly through?: UnixMillis | null } = {},
) => {
  const names = Object.keys(keyServices);
  const [first = ''] = names;
  /** What the job of each name plans. */
  const plans: Record<string, Partial<FreshKeyPlan>> = {};
  const planner: KeyPlanner = {
    jobs: () => [
      { name: 'rotate-prod', kind: 'rotate-keys', account: first, zone: 'UTC' },
      { name: 'expire-old', kind: 'expire-keys', account: first, zone: 'UTC' },
    ],
    plan: async ({ name }) => ({ rotations: [], expiries: [], notes: [], skipped: [], ...plans[name] }),
    coverOf: (account, { service }) =>
      account === first && service.startsWith('b') ? { job: 'rotate-prod', every: 30 * day } : undefined,
    termsOf: (job) => {
      if (job === 'rotate-prod') return terms;
      throw fault('wrong-use', `${job} does not rotate keys`);
    },
    obstacleOf: (_job, { key, retired, service }) => {
      if (retired === true) return { reason: service.replace('batch-', ''), message: 'it has left its line' };
      return key.status === 2 ? { reason: 'disabled', message: 'it is disabled' } : undefined;
    },
    nameProblem: (_job, service) => (service.length > 40 ? 'it is too long' : undefined),
    overwrites: (_job, service) =>
      service.startsWith('shared') || service === 'beyond' ? 'billing' : undefined,
    delivers: (account, { service }) =>
      account === first && service.startsWith('b') ? 'rotate-prod' : undefined,
    leavesOut: (_job, { service }) =>
      service.startsWith('b') || service === 'new' || service.length > 40
        ? undefined
        : { name: `${service}.g1`, selection: '{"name":"b*"}' },
  };
  const keyService = async (account: string): Promise<FakeKeyService> => {
    const found = keyServices[account];
    if (found === undefined) throw new Error(`no key service of ${account}`);
    return found;
  };
  const work = createKeyWork({
    currencyOf: async () => Promise.resolve(undefined),
    now: () => at,
    declared: names.map((account) => ({ account, currency: 'USD' })),
    zone: 'UTC',
    keyService,
    evidence: {
      uses: async (_account, namesAsked) =>
        new Map(
          namesAsked.map((name) => [
            name,
            name.startsWith('idle')
              ? { calls: 0, spend: money('0'), models: [] }
              : {
                  calls: 12,
                  lastCall: unixSeconds(Math.floor(at / 1000) - 180),
                  spend: money('3.25'),
                  models: [],
                },
          ]),
        ),
      logComplete: async () =>
        through === null
          ? { complete: false, why: 'no log' }
          : { complete: false, why: 'it lags', through: toSeconds(through) },
    },
    planner,
    teamOf: ({ service }) => (service === 'billing' ? 'growth' : undefined),
    [Symbol.dispose]: () => undefined,
  });
  return { work, keys: createKeyHandlers(() => work), keyServices, plans };
};

export type KeyFixture = ReturnType<typeof keyFixture>;

export const plannedExpiry = (keyId: number, name: string): PlannedExpiry => ({
  keyId,
  name,
  generation: 1,
  service: name,
  action: { kind: 'delete' },
});

export const plannedRotation = (key: SurveyedKey): PlannedRotation => planned(key, 'age', terms);

/** That the first rotation that the key service began is for a leaked key. */
export const compromisePlanned = (account: string, service: string): KeyEvent => ({
  at: now,
  who: 'person anna',
  account,
  service,
  rotation: 'r1',
  what: 'planned',
  why: 'leak',
  terms: { ...terms, retire: { ...terms.retire, when: 'now' } },
});
