import { z } from 'zod';
import {
  fingerprint,
  generation,
  keyId,
  ofKey,
  retainFacts,
  retainReason,
  spec,
} from '../model/event-fields.ts';
import { foundRequest, leave, place, withAttempt } from './changes.ts';
import { eventKind } from './define.ts';
import { shortHash } from './describe.ts';

/** The creation of a key, up to its verification. */
export const successorEvents = {
  /** Recorded before the request. No listed key and no other attempt ever has this name. */
  creating: eventKind({
    fields: { generation, name: z.string(), spec },
    sentence: ({ name }) => `${name} is requested`,
    rotation: (rotation, { generation: number, name, at: askedAt, spec: fields }) => ({
      ...rotation,
      attempts: [
        ...rotation.attempts,
        { generation: number, name, askedAt, spec: fields, state: 'asked', places: {} },
      ],
    }),
    account: (state, { rotation, service, generation: number, name, at: askedAt, spec: fields }) => {
      const job = state.rotations.get(rotation)?.terms.job;
      const request = { rotation, service, generation: number, name, askedAt, spec: fields, isLost: true };
      state.requests.set(name, { ...request, ...(job === undefined ? {} : { job }) });
    },
  }),
  created: eventKind({
    fields: { ...ofKey, fingerprint },
    sentence: ({ name, keyId: id, fingerprint: hash }) => `${name} is created, id ${id}, ${shortHash(hash)}`,
    rotation: (rotation, { generation: number, keyId: id, fingerprint: hash, at }) =>
      withAttempt(rotation, number, { state: 'made', keyId: id, fingerprint: hash, madeAt: at }),
    account: (state, event) => {
      const { keyId: id, fingerprint: hash, name, service } = event;
      const request = state.requests.get(name);
      if (request !== undefined)
        state.requests.set(name, { ...request, keyId: id, fingerprint: hash, isLost: false });
      state.fingerprints.set(id, hash);
      if (!state.managed.has(service)) state.managed.set(service, undefined);
      place(state, event, event.at);
    },
  }),
  /**
   * No reliable answer arrived: only lists show, now or later, whether the key exists. `refused`: the gateway rejected the request, so it does not.
   */
  'create-lost': eventKind({
    fields: {
      generation,
      name: z.string(),
      code: z.string(),
      message: z.string(),
      refused: z.boolean().optional(),
    },
    sentence: ({ name, message }) => `no conclusive answer to the request for ${name}: ${message}`,
    tone: 'bad',
    rotation: (rotation, { generation: number, refused }) =>
      refused === true
        ? { ...rotation, attempts: rotation.attempts.filter((attempt) => attempt.generation !== number) }
        : withAttempt(rotation, number, { state: 'lost' }),
    account: (state, { name, code, refused, service, generation: number }) => {
      const request = state.requests.get(name);
      if (refused === true) {
        foundRequest(state, name);
        // The next key takes its number.
        if (state.highest.get(service) === number) state.highest.set(service, number - 1);
      }
      // After a kill or a restore it is unknown whether the answer arrived.
      else if (request !== undefined && code !== 'interrupted')
        state.requests.set(name, { ...request, isUnanswered: true });
    },
  }),
  verifying: eventKind({
    fields: { ...ofKey },
    sentence: ({ name }) => `${name} is being verified`,
  }),
  /** `fingerprint`: of the form that calls accept, if it differs from the returned one. */
  verified: eventKind({
    fields: { ...ofKey, evidence: z.string(), fingerprint: fingerprint.optional() },
    sentence: ({ name, evidence }) => `${name} works: ${evidence}`,
    tone: 'good',
    rotation: (rotation, { generation: number, fingerprint: hash }) =>
      withAttempt(rotation, number, (attempt) => ({
        state: 'verified',
        ...(hash === undefined && attempt.fingerprint === undefined
          ? {}
          : { fingerprint: hash ?? attempt.fingerprint }),
      })),
    account: (state, { name, keyId: id, fingerprint: hash }) => {
      if (hash === undefined) return;
      const request = state.requests.get(name);
      if (request !== undefined) state.requests.set(name, { ...request, fingerprint: hash });
      state.fingerprints.set(id, hash);
    },
  }),
  /** An orphan that is not deleted and has left the lineage; `keyId` if it is certainly the requested key. */
  retained: eventKind({
    fields: {
      keyId: keyId.optional(),
      generation,
      name: z.string(),
      reason: retainReason,
      /** Missing in events of earlier versions. */
      facts: retainFacts.optional(),
      words: z.string(),
    },
    sentence: ({ name, words }) => `${name} is not deleted: ${words}`,
    tone: 'bad',
    rotation: (rotation, { generation: number, keyId: id }) =>
      withAttempt(rotation, number, { state: 'retained', ...(id === undefined ? {} : { keyId: id }) }),
    account: (state, { keyId: id, ...event }) => {
      if (id === undefined) return;
      const { rotation, service, generation: number, name, reason, words } = event;
      state.retained.set(id, { rotation, service, generation: number, name, reason, words });
      // A key that is retained in the end is handled with the retained orphans.
      state.leaving.delete(id);
      leave(state, { ...event, keyId: id });
    },
  }),
  /** Its plaintext is lost and a sink may hold it: it is retired like an old key. */
  superseded: eventKind({
    fields: { ...ofKey },
    sentence: ({ name }) =>
      `${name} is retired like an old key: its plaintext is lost, and a sink may hold it`,
    tone: 'bad',
    rotation: (rotation, { generation: number }) => withAttempt(rotation, number, { state: 'superseded' }),
  }),
};
