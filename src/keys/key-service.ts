import type { Fault, NamedGates, Progress } from '../core/index.ts';
import type { ApiKey } from '../gateway/index.ts';
import { awaitRefusal } from './await-refusal.ts';
import { createKeyServiceOperations } from './service-operations.ts';
import { adoptionOf, checkJournal, checkService, commonOf, openRotation } from './service-parts.ts';
import type {
  AdvanceOptions,
  Advanced,
  DeadKey,
  EndedKey,
  KeySurvey,
  OutdatedService,
  PlannedExpiry,
  PlannedRotation,
  ReconciledService,
  RotationView,
  SurveyedKey,
} from './model/service-types.ts';
import { advanceRotation, type Moved } from './rotation/advance.ts';
import { endKeys } from './retirement/end-keys.ts';
import { keptBySinks } from './retirement/kept-by-sinks.ts';
import { servicesWithoutCurrent } from './plan/current-candidates.ts';
import { matchSinks } from './cycle/match-sinks.ts';
import { probeService } from './update/probe.ts';
import type { EngineDeps } from './cycle/engine-deps.ts';
import { roundsOf } from './rotation/rounds.ts';
import { isSeenInUse } from './cycle/gateway-time.ts';
import { openCycle } from './cycle/cycle.ts';
import { stageOf, viewOfRotation } from './rotation/rotation-view.ts';
import { deleteOrphans } from './retirement/delete-orphans.ts';
import { outdatedNow } from './cycle/up-to-date.ts';
import { releaseUndelivered } from './rotation/undelivered.ts';
import type { Lineage } from './model/lineage.ts';
import { readName } from './plan/key-names.ts';
import { inspect } from './inspect.ts';
import { reconcileService } from './reconcile-service.ts';
import { unusableSink } from './plan/usable-sinks.ts';
import type { Rotation } from './model/rotation.ts';
import type { RotationTerms } from './model/terms.ts';
import { openRotations } from './model/key-state.ts';

export type KeyServiceDeps = EngineDeps & {
  /** Shared by the whole process: serializes all writes to the keys of an account. */
  readonly gates: NamedGates;
};

/** `billing/20261121T030000Z-17`: a permanent id, from the time and the sequence number of its first step. */
const rotationId = (service: string, now: number, step: number): string =>
  `${service}/${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${step}`;

const partIn = (rotations: readonly Rotation[], keyId: number): SurveyedKey['rotation'] => {
  const found = rotations.find(
    ({ old, olds, attempts }) =>
      old?.keyId === keyId ||
      olds.some((one) => one.keyId === keyId && one.state !== 'over') ||
      attempts.some((one) => one.keyId === keyId && one.state !== 'gone' && one.state !== 'retained'),
  );
  if (found === undefined) return undefined;
  const leaving = found.olds.find((one) => one.keyId === keyId);
  const isOld = found.old?.keyId === keyId || leaving !== undefined;
  const gone = leaving?.retained === undefined ? 'leaving' : 'kept';
  const part = !isOld ? 'successor' : found.cutover === undefined ? 'old' : gone;
  return { id: found.id, stage: stageOf(found), part };
};

/** Assigns each key its service and generation: from the lineage by id, even of a retired key, else from its name. */
const placed = (
  keys: readonly ApiKey[],
  lineage: Lineage,
  rotations: readonly Rotation[],
  templates: readonly string[],
): readonly SurveyedKey[] =>
  keys.map((key) => {
    const row = lineage.get(key.id);
    const read = readName(key.name, templates);
    const { service, generation } = row ?? read ?? { service: key.name, generation: 1 };
    const rotation = partIn(rotations, key.id);
    return {
      key,
      service,
      generation,
      known: row !== undefined,
      ...(row?.retired === undefined ? {} : { retired: true }),
      rotation,
    };
  });

/** Upper bound against endless passes; a rotation needs fewer. */
const maxPasses = 50;

const isSame = (left: RotationView, right: RotationView | undefined): boolean =>
  left.stage === right?.stage && left.since === right.since && left.message === right.message;

const advancedOf = ({ rotation, moved, message, fault: failure }: Moved): Advanced => ({
  view: viewOfRotation(rotation, message),
  moved,
  fault: failure,
});

/** A compromised key keeps no share: its successor receives the whole remaining quota. */
const effective = (terms: RotationTerms): RotationTerms =>
  terms.retire.when === 'now' && terms.quota.kind === 'split'
    ? { ...terms, quota: { kind: 'carry' } }
    : terms;

/** The event omits the creation time, which the lineage holds. */
const replacedOf = ({ born: _born, ...old }: NonNullable<PlannedRotation['old']>) => old;

const withUnfinished = (
  surveyed: SurveyedKey,
  unfinished: ReadonlyMap<string, ReadonlySet<number>>,
): SurveyedKey => {
  const keys = unfinished.get(surveyed.service);
  if (keys === undefined || !surveyed.known) return surveyed;
  return { ...surveyed, split: true, ...(keys.has(surveyed.key.id) ? { unfinished: true } : {}) };
};

/** All operations on the keys of one account; writes are serialized. */
export type KeyService = ReturnType<typeof createKeyService>;

export const createKeyService = (deps: KeyServiceDeps) => {
  const { account, journal, clock, gates } = deps;
  const alone = (): Promise<Disposable> => gates.enter(`keys of ${account}`);
  const common = commonOf(deps);

  /** Before any other step, the key enters the lineage of its service under its current name. */
  const adoptions = (planned: PlannedRotation, who: string, id: string) => {
    const { old, service } = planned;
    const row = old === undefined ? undefined : journal.state(account).lineage.get(old.keyId);
    if (old === undefined || (row?.retired === undefined && row?.name === old.name)) return [];
    return [{ ...common(who, service, id), ...adoptionOf(old, row?.born ?? old.born ?? clock.now()) }];
  };

  /** Keys that others created before the first rotation of a service do not prove that the journal is out of date. */
  const listedFirst = (service: string, keys: Iterable<ApiKey>): { readonly listed?: number } => {
    if (journal.state(account).managed.has(service)) return {};
    const generations = [...keys].flatMap(({ name }) => {
      const place = readName(name, deps.templates);
      return place?.service === service ? [place.generation] : [];
    });
    return { listed: Math.max(0, ...generations) };
  };

  const start = async (planned: readonly PlannedRotation[], who: string): Promise<readonly string[]> => {
    using _alone = await alone();
    const ids: string[] = [];
    for (const { service } of planned) checkService(service);
    const cycle = await openCycle(deps, { signal: new AbortController().signal, who, requested: true });
    for (const one of planned) {
      const { service } = one;
      if ((await outdatedNow(cycle, service, one.terms.job)) !== undefined) continue;
      const open = openRotation(journal, account, service);
      // A leak during the overlap cannot wait for the end of the previous old key; the new rotation handles both.
      const isUrgent = one.why === 'leak' && open?.cutover !== undefined;
      if (open !== undefined && !isUrgent) continue;
      const id = rotationId(service, clock.now(), journal.head().seq + 1);
      const { why, terms, old, fresh } = one;
      await journal.record([
        ...(open === undefined ? [] : [{ ...common(who, service, open.id), what: 'given-up' as const }]),
        ...adoptions(one, who, id),
        {
          ...common(who, service, id),
          what: 'planned',
          why,
          terms: effective(terms),
          ...(old === undefined ? {} : { old: replacedOf(old) }),
          ...(fresh === undefined ? {} : { fresh }),
          ...listedFirst(service, cycle.keys().values()),
        },
      ]);
      ids.push(id);
    }
    return ids;
  };

  const advance = async ({
    ids,
    signal,
    progress,
    untilIdle = false,
    retries = untilIdle,
  }: AdvanceOptions): Promise<readonly Advanced[]> => {
    if (ids?.length === 0) return [];
    const latest = new Map<string, Advanced>();
    let left = ids;
    for (let passes = 0; passes < (untilIdle ? maxPasses : 1); passes += 1) {
      signal.throwIfAborted();
      using _alone = await alone();
      checkJournal(journal);
      const wanted = left ?? openRotations(journal.state(account)).map(({ id }) => id);
      const moved = new Map<string, Moved>();
      const notify = (detail?: string): void =>
        progress({ step: 'rotating keys', done: moved.size, total: wanted.length, detail });
      const cycle = await openCycle(deps, {
        signal,
        who: ids === undefined ? 'schedule' : 'request',
        requested: ids !== undefined,
        onStep: ({ service }, step) => notify(`${service}: ${step}`),
      });
      await deleteOrphans(cycle);
      for await (const round of roundsOf(cycle, wanted, moved, retries))
        for (const id of round) {
          const found = await advanceRotation(cycle, id);
          if (found !== undefined)
            moved.set(id, { ...found, moved: found.moved || moved.get(id)?.moved === true });
          notify();
        }
      const advanced = [...moved.values()].map(advancedOf);
      // Reading the same state again is no progress.
      const going = advanced.filter(
        ({ view, moved, fault }) => moved && fault === undefined && !isSame(view, latest.get(view.id)?.view),
      );
      for (const one of advanced) latest.set(one.view.id, one);
      left = going.map(({ view }) => view.id);
      if (left.length === 0) break;
      if (untilIdle)
        for (const { view } of going)
          progress({ step: `${view.service}: ${view.stage}`, detail: view.message });
    }
    return [...latest.values()];
  };

  const surveyOf = (keys: readonly ApiKey[]): readonly SurveyedKey[] => {
    const state = journal.state(account);
    const { lineage, unfinished, retained } = state;
    return placed(keys, lineage, openRotations(state), deps.templates).map((surveyed) => {
      const message = retained.get(surveyed.key.id)?.words;
      return withUnfinished(
        message === undefined ? surveyed : { ...surveyed, retained: message },
        unfinished,
      );
    });
  };

  /** Reads sinks only for services with several possible current keys. */
  const withCandidates = async (
    keys: readonly SurveyedKey[],
    signal: AbortSignal,
  ): Promise<readonly SurveyedKey[]> => {
    const open = openRotations(journal.state(account)).map(({ service }) => service);
    const decided = new Set([...journal.state(account).current.keys(), ...open, probeService]);
    const candidates = new Map<string, SurveyedKey['candidates']>();
    for (const [service, line] of servicesWithoutCurrent(keys, decided, clock.now()))
      candidates.set(service, await matchSinks(deps, line, signal));
    return keys.map((key) => {
      const ofService = candidates.get(key.service);
      return ofService === undefined ? key : { ...key, candidates: ofService };
    });
  };

  const survey = async (signal: AbortSignal): Promise<KeySurvey> => {
    const at = clock.now();
    return { at, keys: await withCandidates(surveyOf(await deps.gateway.list(signal)), signal) };
  };

  const expire = async (
    planned: readonly PlannedExpiry[],
    who: string,
    signal: AbortSignal,
  ): Promise<readonly EndedKey[]> => {
    if (planned.length === 0) return [];
    using _alone = await alone();
    const cycle = await openCycle(deps, { signal, who, requested: true });
    const all = await withCandidates(surveyOf([...cycle.keys().values()]), signal);
    const ending = new Set(planned.flatMap(({ keyId, action }) => (action.kind === 'warn' ? [] : [keyId])));
    const asked = all.filter(({ key }) => ending.has(key.id));
    // The plan may be old, so the sinks are read again right before the key ends.
    const kept = await keptBySinks(deps, { asked, all, now: clock.now(), signal });
    return await endKeys(cycle, planned, kept);
  };

  return {
    survey,
    /** Open rotations, paused ones included. */
    open: async (): Promise<readonly RotationView[]> =>
      Promise.all(
        openRotations(journal.state(account)).map(async (rotation) =>
          viewOfRotation(
            rotation,
            undefined,
            stageOf(rotation) === 'current' && (await isSeenInUse(deps, rotation)),
          ),
        ),
      ),
    /** Records the start of the rotations and returns their ids; a service has at most one open rotation. */
    start,
    /** Runs every step that is due. A failed step is recorded and notified; it is not an error of the call. */
    advance,
    expire,
    /** Why the job cannot deliver a key of the service; checked before a key is created. */
    unusableSink: (service: string, job: string, signal: AbortSignal): Promise<Fault | undefined> =>
      unusableSink(deps.consumerOf(job, service)?.sinks ?? [], signal),
    /** Calls with an expired key until the gateway refuses it; undefined if no sink shows its plaintext. */
    awaitRefusal: (
      key: SurveyedKey,
      all: readonly SurveyedKey[],
      options: { readonly signal: AbortSignal; readonly progress: Progress },
    ) => awaitRefusal(deps, key, all, options),
    /** The keys that a sink holds or may hold, by id, with the reason. */
    keptBySinks: (asked: readonly SurveyedKey[], { at, keys }: KeySurvey, signal: AbortSignal) =>
      keptBySinks(deps, { asked, all: keys, now: at, signal }),
    ...createKeyServiceOperations({ deps, alone, common }),
    /** What the journal of each service does not know; `apply` records that in the journal and changes nothing else. */
    reconcile: async (
      { service, apply }: { readonly service?: string | undefined; readonly apply: boolean },
      who: string,
      signal: AbortSignal,
    ): Promise<readonly ReconciledService[]> => {
      using _alone = await alone();
      checkJournal(journal);
      const cycle = await openCycle(deps, { signal, who, requested: true });
      const services = service === undefined ? [...journal.state(account).managed.keys()] : [service];
      const found: ReconciledService[] = [];
      for (const one of services) {
        const reconciled = await reconcileService(cycle, one, apply);
        if (reconciled !== undefined) found.push(reconciled);
      }
      return found;
    },
    /** Runs before the process ends: deletes keys whose delivery failed and that every sink proves not to hold. */
    releaseUndelivered: async (signal: AbortSignal): Promise<void> => {
      using _alone = await alone();
      await releaseUndelivered(await openCycle(deps, { signal, who: 'shutdown', requested: true }));
    },
    deadKeys: async (): Promise<readonly DeadKey[]> => [...journal.state(account).deadKeys.values()],
    /** Compares the journal with the key list, and on request with the sinks; records and notifies each finding once. */
    inspect: async (options: { readonly sinks: boolean }, signal: AbortSignal): Promise<void> => {
      checkJournal(journal);
      if (journal.state(account).managed.size === 0) return;
      const cycle = await openCycle(deps, { signal, who: 'schedule', requested: false });
      await inspect(cycle, options, alone);
    },
    /** Services whose journal is older than the gateway or their sinks: none of their keys is written. */
    outdated: async (): Promise<readonly OutdatedService[]> => [...journal.state(account).outdated.values()],
    /** Oldest first. */
    history: (service?: string) => journal.history({ account, service }),
  };
};
