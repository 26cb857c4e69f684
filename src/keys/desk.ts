import { fault, toMillis } from '../base/index.ts';
import type { NamedGates } from '../base/index.ts';
import type { ApiKey } from '../gateway/index.ts';
import type { Advanced, KeyDesk, PlannedExpiry, PlannedRotation, SurveyedKey } from './desk-types.ts';
import { advanceRotation } from './engine/advance.ts';
import type { Moved } from './engine/advance.ts';
import { takeAway } from './engine/clear-key.ts';
import { endKeys } from './engine/end-keys.ts';
import type { EngineMeans } from './engine/engine-means.ts';
import { note, openPass, plaintextOf } from './engine/pass.ts';
import type { Pass, Step } from './engine/pass.ts';
import { stageOf, viewOfRotation } from './engine/rotation-view.ts';
import { sweep } from './engine/sweep.ts';
import { liveOf } from './lineage.ts';
import type { Lineage } from './lineage.ts';
import { parseKeyName, templateOf } from './plan/key-names.ts';
import { candidateOf } from './rotation.ts';
import type { RotationTerms } from './terms.ts';
import { probeService } from './update/probe.ts';
import type { Rotation } from './rotation.ts';

export type DeskMeans = EngineMeans & {
  /** One for the process: all writes to the keys of an account go one after the other. */
  readonly gates: NamedGates;
  /** How the names of keys are read that no line knows; the first that fits. */
  readonly templates: readonly string[];
};

/** `billing/20261121T030000Z-17`: names a rotation for good, by its moment and the step it begins with. */
const rotationId = (service: string, now: number, step: number): string =>
  `${service}/${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${step}`;

const partIn = (rotations: readonly Rotation[], keyId: number): SurveyedKey['rotation'] => {
  const found = rotations.find(
    ({ old, olds, attempts }) =>
      old?.keyId === keyId ||
      olds.some((one) => one.keyId === keyId && one.state !== 'over') ||
      attempts.some((one) => one.keyId === keyId && one.state !== 'gone'),
  );
  return found === undefined ? undefined : { id: found.id, stage: stageOf(found) };
};

/** The keys with their places: what the lineage knows under this id and name, otherwise what the name says. */
const placed = (
  keys: readonly ApiKey[],
  lineage: Lineage,
  rotations: readonly Rotation[],
  templates: readonly string[],
): readonly SurveyedKey[] =>
  keys.map((key) => {
    const row = lineage.get(key.id);
    const known = row !== undefined && row.retired === undefined;
    const read = templates
      .map((text) => parseKeyName(templateOf(text), key.name))
      .find((one) => one !== undefined);
    const { service, generation } = known ? row : (read ?? { service: key.name, generation: 1 });
    const rotation = partIn(rotations, key.id);
    return { key, service, generation, known, ...(rotation === undefined ? {} : { rotation }) };
  });

const advancedOf = ({ rotation, moved, words, fault: failure }: Moved): Advanced => ({
  view: viewOfRotation(rotation, words),
  moved,
  ...(failure === undefined ? {} : { fault: failure }),
});

/** A leaked key shares nothing: its successor is given all that is left. */
const effective = (terms: RotationTerms): RotationTerms =>
  terms.retire.when === 'now' && terms.quota.kind === 'split'
    ? { ...terms, quota: { kind: 'carry' } }
    : terms;

/** Keys of this service are cleared away wherever they are seen. */
const checkService = (service: string): void => {
  if (service !== probeService) return;
  throw fault('wrong-use', `${service} is what throw-away keys are called`, {
    advice: 'give the service another name',
  });
};

/** The desk of one account. */
export const createKeyDesk = (means: DeskMeans): KeyDesk => {
  const { account, journal, clock, gates } = means;
  const alone = <T>(work: () => Promise<T>): Promise<T> => gates(`keys of ${account}`, work);
  const common = (who: string, service: string, rotation: string) => ({
    at: clock.now(),
    who,
    account,
    service,
    rotation,
  });

  const openOf = (service: string): Rotation => {
    const found = journal.openRotations(account).find((rotation) => rotation.service === service);
    if (found !== undefined) return found;
    throw fault('wrong-use', `no rotation of ${service} is open`, {
      advice: '`tollkeeper keys list` shows the services and their rotations',
    });
  };

  /** The key is in the line of its service before anything is done to it. */
  const adoptions = (planned: PlannedRotation, who: string, id: string) => {
    const { old, service } = planned;
    const row = old === undefined ? undefined : journal.lineage(account).get(old.keyId);
    if (old === undefined || (row !== undefined && row.retired === undefined)) return [];
    const { keyId, generation, name } = old;
    const born = clock.now();
    return [{ ...common(who, service, id), what: 'adopted' as const, keyId, generation, name, born }];
  };

  const start: KeyDesk['start'] = (planned, who) =>
    alone(async () => {
      const ids: string[] = [];
      for (const { service } of planned) checkService(service);
      for (const one of planned) {
        const { service } = one;
        const open = journal.openRotations(account).find((rotation) => rotation.service === service);
        // A key that leaks while the one before it is still in use cannot wait for that one to go: both are seen to anew.
        const isUrgent = one.why === 'leak' && open?.handover !== undefined;
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
            ...(old === undefined ? {} : { old }),
            ...(fresh === undefined ? {} : { fresh }),
          },
        ]);
        ids.push(id);
      }
      return ids;
    });

  const moveOn = async (
    pass: Pass,
    ids: readonly string[],
    progress: (done: number) => void,
  ): Promise<readonly Moved[]> => {
    const moved = new Map<string, Moved>();
    const go = async (which: readonly string[]): Promise<void> => {
      for (const id of which) {
        const found = await advanceRotation(pass, id);
        if (found !== undefined)
          moved.set(id, { ...found, moved: found.moved || moved.get(id)?.moved === true });
        progress(moved.size);
      }
    };
    await go(ids);
    // What they waited for may have come further since.
    await go(ids.filter((id) => pass.blocked.has(id)));
    if (pass.removed.size > 0) {
      // One list for all deletions of the pass.
      const removed = [...pass.removed];
      await pass.look();
      for (const keyId of removed) if (!pass.keys().has(keyId)) pass.resting.delete(keyId);
      const touched = ids.filter((id) =>
        journal.rotation(id)?.olds.some(({ keyId }) => removed.includes(keyId)),
      );
      await go(touched);
    }
    return [...moved.values()];
  };

  const advance: KeyDesk['advance'] = ({ ids, signal, progress }) =>
    alone(async () => {
      const wanted = ids ?? journal.openRotations(account).map(({ id }) => id);
      let done = 0;
      const tell = (detail?: string): void =>
        progress({
          step: 'rotating keys',
          done,
          total: wanted.length,
          ...(detail === undefined ? {} : { detail }),
        });
      const pass = await openPass(means, {
        signal,
        who: ids === undefined ? 'schedule' : 'order',
        ordered: ids !== undefined,
        onStep: ({ service }, step) => tell(`${service}: ${step}`),
      });
      await sweep(pass);
      const results = await moveOn(pass, wanted, (number) => {
        done = number;
        tell();
      });
      return results.map(advancedOf);
    });

  const survey: KeyDesk['survey'] = async (signal) => {
    const at = clock.now();
    const keys = await means.gateway.list(signal);
    const rotations = journal.openRotations(account);
    return { at, keys: placed(keys, journal.lineage(account), rotations, means.templates) };
  };

  const expire: KeyDesk['expire'] = (planned: readonly PlannedExpiry[], who, signal) =>
    planned.length === 0
      ? Promise.resolve([])
      : alone(async () => endKeys(await openPass(means, { signal, who, ordered: true }), planned));

  const onOne = (
    service: string,
    who: string,
    stepsOf: (rotation: Rotation) => readonly Step[],
  ): Promise<Rotation> =>
    alone(async () => {
      const rotation = openOf(service);
      const steps = stepsOf(rotation);
      await journal.record(steps.map((step) => ({ ...common(who, service, rotation.id), ...step })));
      return rotation;
    });

  return {
    survey,
    open: async () => journal.openRotations(account).map((rotation) => viewOfRotation(rotation)),
    start,
    advance,
    expire,
    adopt: ({ keyId, service, generation }, who, signal) =>
      alone(async () => {
        checkService(service);
        const key = (await means.gateway.list(signal)).find(({ id }) => id === keyId);
        if (key === undefined)
          throw fault('wrong-use', `the gateway lists no key ${keyId}`, {
            advice: '`tollkeeper keys list` shows the ids',
          });
        const taken = liveOf(journal.lineage(account), service).find(
          (row) => row.generation === generation && row.keyId !== keyId,
        );
        if (taken !== undefined)
          throw fault(
            'wrong-use',
            `generation ${generation} of ${service} is the key ${taken.name} (${taken.keyId})`,
            {
              advice: 'name another generation',
            },
          );
        const born = key.createdTime === undefined ? clock.now() : toMillis(key.createdTime);
        await journal.record([
          {
            ...common(who, service, `adopt/${keyId}`),
            what: 'adopted',
            keyId,
            generation,
            name: key.name,
            born,
          },
        ]);
      }),
    adoptAll: (keys, who) =>
      alone(async () => {
        const lineage = journal.lineage(account);
        const places = new Map<string, number>();
        const placeOf = ({ service, generation }: { service: string; generation: number }): string =>
          JSON.stringify([service, generation]);
        for (const row of lineage.values()) if (row.retired === undefined) places.set(placeOf(row), 1);
        const fresh = keys.filter(({ known, service }) => !known && service !== probeService);
        for (const key of fresh) places.set(placeOf(key), (places.get(placeOf(key)) ?? 0) + 1);
        // Where two keys claim one place, a person has to say which is which.
        const adopted = fresh.filter(
          (one) => places.get(placeOf(one)) === 1 && journal.lostAttempt(account, one.key.name) === undefined,
        );
        await journal.record(
          adopted.map(({ key, service, generation }) => ({
            ...common(who, service, `adopt/${key.id}`),
            what: 'adopted' as const,
            keyId: key.id,
            generation,
            name: key.name,
            born: key.createdTime === undefined ? clock.now() : toMillis(key.createdTime),
          })),
        );
        return adopted.length;
      }),
    confirm: async (service, fingerprint, who) => {
      const given = fingerprint.trim().toLowerCase();
      const rotation = await onOne(service, who, (open) => {
        const attempt = candidateOf(open);
        if (attempt?.state !== 'delivering' || attempt.keyId === undefined)
          throw fault('wrong-use', `no key of ${service} waits to be confirmed`, {
            advice: '`tollkeeper keys list` shows what each rotation waits for',
          });
        if (attempt.fingerprint !== given)
          throw fault('wrong-use', `that is not the fingerprint of ${attempt.name}`, {
            advice: 'take the SHA-256 of the key without a line break: printf %s "$KEY" | sha256sum',
          });
        const { keyId, generation, name } = attempt;
        const consumer = means.consumerOf(open.terms.job, service);
        const byPerson = (consumer?.sinks ?? []).filter(
          (sink) => sink.confirmedByPerson && attempt.places[sink.place]?.done === true,
        );
        if (byPerson.length === 0)
          throw fault('wrong-use', `${name} waits for no person's word`, {
            advice: 'every place that its job declares is read back without one',
          });
        return byPerson.map(({ place }) => ({
          what: 'confirmed' as const,
          keyId,
          generation,
          name,
          place,
          proof: given,
        }));
      });
      return `${candidateOf(rotation)?.name ?? service} is confirmed; the rotation goes on with the next pass`;
    },
    resume: async (service, who) => {
      const rotation = await onOne(service, who, (open) => {
        if (open.waiting === undefined && open.tries === 0)
          throw fault('wrong-use', `the rotation of ${service} does not wait for a person`, {
            advice: '`tollkeeper keys list` shows what it waits for',
          });
        return [{ what: 'resumed' }];
      });
      return `the rotation ${rotation.id} goes on with the next pass`;
    },
    giveUp: (service, who) =>
      alone(async () => {
        const rotation = openOf(service);
        // One that no step can bring to its end is let go of: its old key goes with the next one.
        if (rotation.handover !== undefined && rotation.waiting === undefined)
          throw fault(
            'wrong-use',
            `the new key of ${service} is in every sink: there is nothing to give up`,
            {
              advice:
                'the old key is retired as its job declares; expire it by hand with `tollkeeper keys expire`',
            },
          );
        const attempt = candidateOf(rotation);
        const key =
          attempt?.keyId === undefined
            ? undefined
            : { keyId: attempt.keyId, generation: attempt.generation, name: attempt.name };
        const isCurrent = rotation.handover !== undefined;
        const isOrphan =
          attempt?.state === 'made' || attempt?.state === 'verified' || attempt?.state === 'clearing';
        const id = { id: rotation.id, service };
        const pass = await openPass(means, { signal: new AbortController().signal, who, ordered: true });
        if (key !== undefined && isOrphan) {
          await note(pass, id, { what: 'deleting', ...key, why: 'orphan' });
          const { taken, refusal } = await takeAway(pass, key.keyId);
          if (!taken)
            throw fault('rotation-blocked', `${key.name} could not be deleted`, {
              cause: refusal,
              advice: 'try again; it can be used by nobody',
            });
          await note(pass, id, { what: 'deleted', ...key });
        } else if (key !== undefined && !isCurrent) await note(pass, id, { what: 'superseded', ...key });
        await note(pass, id, { what: 'given-up' });
        if (attempt !== undefined) means.plaintexts.delete(plaintextOf(rotation, attempt));
        if (isCurrent)
          return `the rotation of ${service} is given up; its new key is in every sink, and what is left of the old ones goes with the next rotation`;
        return key === undefined || isOrphan
          ? `the rotation of ${service} is given up; its old key works on`
          : `the rotation of ${service} is given up; ${key.name} stays, since a sink may hold it, and goes with the next rotation`;
      }),
    history: (service) => journal.history({ account, ...(service === undefined ? {} : { service }) }),
  };
};
