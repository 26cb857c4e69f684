import { fault, shellWord } from '../core/index.ts';
import { retainText } from './events/notices.ts';
import { checkGeneration, checkMove, checkNoneOpen, checkServiceName } from './adoption-checks.ts';
import {
  adoptionOf,
  createdAtOr,
  checkJournal,
  checkService,
  openRotation,
  type commonOf,
} from './service-parts.ts';
import { readName } from './plan/key-names.ts';
import { deadBy } from './plan/key-state.ts';
import { deleteAndVerify } from './retirement/clear-key.ts';
import type { EngineDeps } from './cycle/engine-deps.ts';
import { describeOldKey } from './retirement/old-key-messages.ts';
import { orphanVerdict } from './retirement/orphan-facts.ts';
import { retainOrphan } from './retirement/retain-orphan.ts';
import {
  generationKey,
  generationKeyOf,
  note,
  openCycle,
  plaintextOf,
  type NewEvent,
} from './cycle/cycle.ts';
import { declaredSinks, undeclaredPlaces } from './cycle/known-places.ts';
import { newerKeys, outdatedNow } from './cycle/up-to-date.ts';
import { liveOf } from './model/lineage.ts';
import { candidateOf, type Rotation } from './model/rotation.ts';
import type { SurveyedKey } from './model/service-types.ts';
import { probeService } from './update/probe.ts';
import { lostRequest } from './model/key-state.ts';

type OperationDeps = {
  readonly deps: EngineDeps;
  /** Excludes all other writes to the keys of the account. */
  readonly alone: () => Promise<Disposable>;
  readonly common: ReturnType<typeof commonOf>;
};

type Adoption = {
  readonly keyId: number;
  readonly service: string;
  readonly generation: number;
  /** From the service that it belongs to. */
  readonly move?: boolean;
};

const describeLeft = ({ attempts }: Rotation): string =>
  attempts
    .flatMap(({ name, places }) => {
      const ofState = (wanted: boolean): string =>
        Object.entries(places)
          .flatMap(([place, { done }]) => (done === wanted ? [place] : []))
          .join(' and ');
      const [took, asked] = [ofState(true), ofState(false)];
      return [
        ...(took === '' ? [] : [`${took} received ${name}`]),
        ...(asked === '' ? [] : [`${asked} may hold ${name}`]),
      ];
    })
    .join(', ');

/** What a person does about a key or a rotation. All throw Fault `wrong-use`. */
export const createKeyServiceOperations = ({ deps, alone, common }: OperationDeps) => {
  const { account, journal, clock } = deps;

  const openOf = (service: string): Rotation => {
    const found = openRotation(journal, account, service);
    if (found !== undefined) return found;
    throw fault('wrong-use', `no rotation of ${service} is open`, {
      advice: '`tollkeeper keys list` shows the services and their rotations',
    });
  };

  const onOne = async (
    service: string,
    who: string,
    eventsOf: (rotation: Rotation) => readonly NewEvent[],
  ): Promise<Rotation> => {
    using _alone = await alone();
    checkJournal(journal);
    const rotation = openOf(service);
    const events = eventsOf(rotation);
    await journal.record(events.map((event) => ({ ...common(who, service, rotation.id), ...event })));
    return rotation;
  };

  return {
    /** Assigns a key to a service. */
    adopt: async (
      { keyId, service, generation, move = false }: Adoption,
      who: string,
      signal: AbortSignal,
    ): Promise<void> => {
      using _alone = await alone();
      checkService(service);
      checkServiceName(service);
      const listed = await deps.gateway.list(signal);
      const key = listed.find(({ id }) => id === keyId);
      if (key === undefined)
        throw fault('wrong-use', `the gateway lists no key ${keyId}`, {
          advice: '`tollkeeper keys list` shows the ids',
        });
      const taken = liveOf(journal.state(account).lineage, service).find(
        (row) => row.generation === generation && row.keyId !== keyId,
      );
      if (taken !== undefined)
        throw fault(
          'wrong-use',
          `generation ${generation} of ${service} is the key ${taken.name} (${taken.keyId})`,
          {
            advice: 'choose another generation',
          },
        );
      const row = journal.state(account).lineage.get(keyId);
      checkMove({ ...key, service: row?.service }, service, move);
      for (const one of new Set([service, row?.service ?? service]))
        checkNoneOpen(openRotation(journal, account, one));
      const named = listed.flatMap(({ name }) => {
        const read = readName(name, deps.templates);
        return read?.service === service ? [read.generation] : [];
      });
      checkGeneration(generation, Math.max(journal.state(account).highest.get(service) ?? 0, ...named));
      const placed = { keyId, generation, name: key.name };
      await journal.record([
        { ...common(who, service, `adopt/${keyId}`), ...adoptionOf(placed, createdAtOr(key, clock.now())) },
      ]);
    },
    /** Records the service of each key where no fact contradicts it; returns the number of new keys. */
    adoptAll: async (keys: readonly SurveyedKey[], who: string): Promise<number> => {
      using _alone = await alone();
      const lineage = journal.state(account).lineage;
      const places = new Map<string, number>();
      const placeOf = ({ service, generation }: { service: string; generation: number }): string =>
        JSON.stringify([service, generation]);
      for (const row of lineage.values()) if (row.retired === undefined) places.set(placeOf(row), 1);
      // The id identifies a key: one that left its lineage is not new under any name. In a service with managed keys, only a person adds a key.
      const managed = journal.state(account).managed;
      const fresh = keys.filter(
        ({ key, service }) => !lineage.has(key.id) && service !== probeService && !managed.has(service),
      );
      const listed = keys.map(({ key }) => key);
      const newer = [...managed.keys()].filter((service) => newerKeys(deps, service, listed).length > 0);
      if (newer.length > 0) {
        const cycle = await openCycle(deps, { signal: new AbortController().signal, who, requested: true });
        for (const service of newer) await outdatedNow(cycle, service, managed.get(service));
      }
      // Calls are logged under the current name.
      const renamed = keys.flatMap(({ key }) => {
        const row = lineage.get(key.id);
        if (row === undefined || row.retired !== undefined || row.name === key.name) return [];
        return row.service === probeService ? [] : [{ row, key }];
      });
      for (const key of fresh) places.set(placeOf(key), (places.get(placeOf(key)) ?? 0) + 1);
      // Where two keys claim one generation, a person must decide.
      const adopted = fresh.filter(
        (one) =>
          places.get(placeOf(one)) === 1 && lostRequest(journal.state(account), one.key.name) === undefined,
      );
      await journal.record([
        ...adopted.map(({ key, service, generation }) => ({
          ...common(who, service, `adopt/${key.id}`),
          ...adoptionOf({ keyId: key.id, generation, name: key.name }, createdAtOr(key, clock.now())),
        })),
        ...renamed.map(({ row, key }) => ({
          ...common(who, row.service, `adopt/${key.id}`),
          ...adoptionOf({ ...row, name: key.name }, row.born),
        })),
      ]);
      return adopted.length;
    },
    /** A person confirms by fingerprint that a place holds the key; returns the outcome as a sentence. */
    confirm: async (service: string, fingerprint: string, who: string): Promise<string> => {
      const given = fingerprint.trim().toLowerCase();
      const rotation = await onOne(service, who, (open) => {
        const attempt = candidateOf(open);
        if (attempt?.state !== 'delivering' || attempt.keyId === undefined)
          throw fault('wrong-use', `no key of ${service} is awaiting confirmation`, {
            advice: '`tollkeeper keys list` shows the status of each rotation',
          });
        if (attempt.fingerprint !== given)
          throw fault('wrong-use', `the fingerprint does not match ${attempt.name}`, {
            advice: 'compute the SHA-256 of the key without a trailing newline: printf %s "$KEY" | sha256sum',
          });
        const consumer = deps.consumerOf(open.terms.job, service);
        const byPerson = (consumer?.sinks ?? []).filter(
          (sink) => sink.confirmedByPerson && attempt.places[sink.place]?.done === true,
        );
        if (byPerson.length === 0)
          throw fault('wrong-use', `${attempt.name} requires no confirmation`, {
            advice: 'every sink that its job declares is read back automatically',
          });
        return byPerson.map(({ place }) => ({
          what: 'confirmed' as const,
          ...generationKeyOf(attempt),
          place,
          proof: given,
        }));
      });
      return `${candidateOf(rotation)?.name ?? service} is confirmed; the rotation continues in the next cycle`;
    },
    /** Resumes a paused rotation. */
    resume: async (service: string, who: string): Promise<string> => {
      const rotation = await onOne(service, who, (open) => {
        if (open.waiting === undefined && open.tries === 0)
          throw fault('wrong-use', `the rotation of ${service} is not paused`, {
            advice: '`tollkeeper keys list` shows its status',
          });
        return [{ what: 'resumed' }];
      });
      return `the rotation ${rotation.id} continues in the next cycle`;
    },
    /** Forgets places that no job declares any more: the rotation continues as if they held no key. */
    forgetPlaces: async (service: string, who: string, signal: AbortSignal): Promise<string> => {
      using _alone = await alone();
      checkJournal(journal);
      const rotation = openOf(service);
      const cycle = await openCycle(deps, { signal, who, requested: true });
      const sinks = declaredSinks(cycle, rotation, () => deps.consumerOf(rotation.terms.job, service));
      const places = undeclaredPlaces(cycle.deps, service, sinks);
      if (places.length === 0)
        throw fault('wrong-use', `each place that may hold an old key of ${service} is declared`, {
          advice: '`tollkeeper keys list` shows what the rotation waits for',
        });
      const held = rotation.olds.filter(({ retained }) => retained?.reason === 'place-undeclared');
      await journal.record([
        { ...common(who, service, rotation.id), what: 'places-forgotten', places: [...places] },
        ...held.map((old) => ({
          ...common(who, service, rotation.id),
          what: 'hold-ended' as const,
          ...generationKey(old),
        })),
      ]);
      return `${places.join(' and ')} no longer ${places.length === 1 ? 'counts' : 'count'} as holding a key of ${service}; the rotation continues in the next cycle`;
    },
    /** Ends a rotation and deletes its successor unless a sink may hold it or its disuse is not proven. @throws Fault rotation-blocked */
    giveUp: async (service: string, who: string): Promise<string> => {
      using _alone = await alone();
      checkJournal(journal);
      const rotation = openOf(service);
      const cycle = await openCycle(deps, { signal: new AbortController().signal, who, requested: true });
      const attempt = rotation.attempts.find(({ state }) => state === 'current') ?? candidateOf(rotation);
      const listed = attempt?.keyId === undefined ? undefined : cycle.keys().get(attempt.keyId);
      const isDead = listed === undefined || deadBy(listed, clock.now()) !== undefined;
      // A rotation that no step can complete may be given up; the next rotation ends its old key.
      if (rotation.cutover !== undefined && rotation.waiting === undefined && !isDead)
        throw fault('wrong-use', `the new key of ${service} is in every sink: there is nothing to give up`, {
          advice:
            'the old key is retired as its job declares; expire it manually with `tollkeeper keys expire`',
        });
      const key = attempt?.keyId === undefined ? undefined : generationKeyOf(attempt);
      const isCurrent = rotation.cutover !== undefined;
      // A journal that is out of date cannot prove that a key is unused.
      const isOutdated = (await outdatedNow(cycle, service, rotation.terms.job)) !== undefined;
      const isOrphan =
        !isOutdated &&
        (attempt?.state === 'made' || attempt?.state === 'verified' || attempt?.state === 'clearing');
      const id = { id: rotation.id, service };
      const verdict =
        key !== undefined && isOrphan ? await orphanVerdict(cycle, key.name, key.keyId) : undefined;
      if (key !== undefined && verdict?.verdict === 'retain')
        await retainOrphan(cycle, id, key, verdict, attempt?.askedAt ?? clock.now());
      else if (key !== undefined && isOrphan) {
        await note(cycle, id, { what: 'deleting', ...key, why: 'orphan' });
        const { deleted, refusal } = await deleteAndVerify(cycle, key.keyId);
        if (!deleted)
          throw fault('rotation-blocked', `${key.name} could not be deleted`, {
            cause: refusal,
            advice: 'retry the command; nobody can use the key',
          });
        await note(cycle, id, { what: 'deleted', ...key });
      } else if (key !== undefined && !isCurrent) await note(cycle, id, { what: 'superseded', ...key });
      await note(cycle, id, { what: 'given-up' });
      if (attempt !== undefined) deps.plaintexts.delete(plaintextOf(rotation, attempt));
      const left = isCurrent ? '' : describeLeft(rotation);
      if (left !== '')
        return `the rotation of ${service} is given up; ${left}, so its sinks may hold different keys; ${describeOldKey(cycle, rotation)}. Next: \`tollkeeper keys rotate ${shellWord(service)}\` delivers one key to all of them; a job in mode apply does so automatically`;
      if (isCurrent && isDead)
        return `the rotation of ${service} is given up; its new key is in every sink and does not work. Next: \`tollkeeper keys rotate ${shellWord(service)}\` delivers another`;
      if (isCurrent)
        return `the rotation of ${service} is given up; its new key is in every sink, and remaining old keys are retired by the next rotation`;
      const kept =
        verdict?.verdict === 'retain'
          ? `; ${key?.name ?? ''} is retained${verdict.passing ? ' for now' : ''}: ${retainText({ ...verdict, name: key?.name ?? '' }, deps.zone)}. \`tollkeeper keys expire id:${key?.keyId ?? ''}\` ends it`
          : '';
      return `the rotation of ${service} is given up; ${describeOldKey(cycle, rotation)}${kept}`;
    },
  };
};
