import { z } from 'zod';
import { countText } from '../../core/index.ts';
import { decimal, doubtful, fingerprint, keyId, moment, ofKey } from '../model/event-fields.ts';
import type { KeyStateMaps } from '../model/key-state.ts';
import type { Rotation } from '../model/rotation.ts';
import type { Fingerprint } from '../model/sink.ts';
import { withAttempt } from './changes.ts';
import { eventKind } from './define.ts';
import { shortHash } from './describe.ts';

const withPlace = (
  rotation: Rotation,
  event: { readonly generation: number; readonly place: string; readonly proof?: string | undefined },
  done: boolean,
): Rotation =>
  withAttempt(rotation, event.generation, ({ places }) => {
    const proof = event.proof ?? (done ? places[event.place]?.proof : undefined);
    return {
      state: 'delivering',
      places: { ...places, [event.place]: { done, ...(proof === undefined ? {} : { proof }) } },
    };
  });

const notePlace = ({ places }: KeyStateMaps, service: string, place: string): void =>
  void places.set(service, (places.get(service) ?? new Set()).add(place));

const noteContent = (
  { contents }: KeyStateMaps,
  place: string,
  hash: Fingerprint,
  content: { readonly since: z.output<typeof moment>; readonly delivered: boolean },
): void => {
  const known = contents.get(place) ?? new Map<Fingerprint, typeof content>();
  if (content.delivered || !known.has(hash)) contents.set(place, known.set(hash, content));
};

/** What sinks hold, up to the cutover. */
export const deliveryEvents = {
  /** What a sink holds before the first delivery: a key from another source; `keyId` if exactly one mask matches. */
  observed: eventKind({
    fields: { place: z.string(), fingerprint, keyId: keyId.optional() },
    sentence: ({ place, fingerprint: hash }) => `${place} holds a foreign key, ${shortHash(hash)}`,
    account: (state, { service, place, fingerprint: hash, keyId: id, at }) => {
      notePlace(state, service, place);
      noteContent(state, place, hash, { since: at, delivered: false });
      if (id !== undefined) state.fingerprints.set(id, hash);
    },
  }),
  /** From this event on, a sink may hold the key. */
  delivering: eventKind({
    fields: { ...ofKey, place: z.string() },
    sentence: ({ name, place }) => `${name} is being delivered to ${place}`,
    rotation: (rotation, event) => withPlace(rotation, event, false),
    account: (state, { service, place, keyId: id, at }) => {
      notePlace(state, service, place);
      state.unfinished.set(service, (state.unfinished.get(service) ?? new Set()).add(id));
      const hash = state.fingerprints.get(id);
      if (hash !== undefined) noteContent(state, place, hash, { since: at, delivered: true });
    },
  }),
  /** `proof`: the answer of the sink itself. */
  delivered: eventKind({
    fields: { ...ofKey, place: z.string(), proof: fingerprint.optional() },
    sentence: ({ name, place, proof }) =>
      `${place} received ${name}${proof === undefined ? '' : `, and returned ${shortHash(proof)}`}`,
    rotation: (rotation, event) => withPlace(rotation, event, true),
  }),
  /** A person sees the key at the place. */
  confirmed: eventKind({
    fields: { ...ofKey, place: z.string(), proof: fingerprint },
    sentence: ({ name, place }) => `the receipt of ${name} at ${place} is confirmed`,
    rotation: (rotation, event) => withPlace(rotation, event, true),
  }),
  /** A sink was read and does not prove that it holds the key, so the key is delivered there again. */
  doubted: eventKind({
    fields: { ...ofKey, place: z.string() },
    sentence: ({ name, place }) =>
      `${place} did not prove that it holds ${name}; the key is delivered there again`,
    rotation: (rotation, event) => withPlace(rotation, event, false),
  }),
  'read-back': eventKind({
    fields: { ...ofKey, places: z.array(z.string()) },
    sentence: ({ name, places }) => `${name} was read back from ${countText(places.length, 'sink')}`,
    tone: 'good',
    resetsTries: true,
    rotation: (rotation, { generation, places: read }) =>
      withAttempt(rotation, generation, ({ places }) => ({
        state: 'read-back',
        places: {
          ...places,
          ...Object.fromEntries(read.map((name) => [name, { ...places[name], done: true }])),
        },
      })),
    account: (state, { keyId: id, places }) => {
      state.readBack.set(id, places);
      for (const place of places) state.deadKeys.delete(place);
    },
  }),
  /** The cutover: every sink holds the key. `olds`: the other keys of the service, with what a limited one had left (as served). */
  current: eventKind({
    fields: {
      ...ofKey,
      /** `doubtful`: it leaked, or not every sink ever held it, as after a rotation that was given up. */
      olds: z.array(z.object({ ...ofKey, remain: decimal.optional(), doubtful: doubtful.optional() })),
      /** The gateway's time at the cutover, and the time from which its clock is known to run undisturbed. */
      gateway: z.object({ at: moment, since: moment }).optional(),
    },
    sentence: ({ name, olds }) =>
      `${name} is the current key of the service${olds.length === 0 ? '' : `, replacing ${olds.map((old) => old.name).join(', ')}`}`,
    tone: 'good',
    resetsTries: true,
    rotation: (rotation, { generation, at, gateway, olds }) => ({
      ...withAttempt(rotation, generation, { state: 'current' }),
      cutover: at,
      ...(gateway === undefined ? {} : { cutoverAtGateway: gateway }),
      olds: olds.map(({ remain, doubtful: why, ...old }) => ({
        ...old,
        ...(why === undefined ? {} : { doubtful: why }),
        ...(remain === undefined ? {} : { remain }),
        state: 'working',
        idle: false,
      })),
    }),
    account: ({ unfinished, current, readBack }, { service, keyId: id }) => {
      unfinished.delete(service);
      current.set(service, { keyId: id, places: readBack.get(id) ?? [] });
    },
  }),
  /** The consumer was notified to load the key. */
  reloaded: eventKind({
    fields: { ...ofKey },
    sentence: ({ name }) => `the consumer was notified to load ${name}`,
    resetsTries: true,
    rotation: (rotation, { at }) => ({ ...rotation, reloadedAt: at }),
  }),
  /** A sink holds a key that the gateway no longer accepts; `sink-well` records that it no longer does. */
  'sink-dead': eventKind({
    fields: {
      place: z.string(),
      keyId,
      name: z.string(),
      state: z.enum(['deleted', 'expired', 'disabled']),
    },
    sentence: ({ place, name, state }) => `${place} holds ${name}, which is ${state}`,
    tone: 'bad',
    account: ({ deadKeys }, { service, place, keyId: id, name, state, at }) =>
      void deadKeys.set(place, { service, place, keyId: id, name, state, since: at }),
  }),
  'sink-well': eventKind({
    fields: { place: z.string() },
    sentence: ({ place }) => `${place} no longer holds a key that does not work`,
    account: ({ deadKeys }, { place }) => void deadKeys.delete(place),
  }),
  /** A person states that these places hold no key of the service. */
  'places-forgotten': eventKind({
    fields: { places: z.array(z.string()) },
    sentence: ({ places }) =>
      `${places.join(' and ')} ${places.length === 1 ? 'is' : 'are'} taken to hold no key of the service, as a person confirmed`,
    stands: true,
    account: (state, { service, places }) => {
      for (const place of places) state.places.get(service)?.delete(place);
    },
  }),
};
