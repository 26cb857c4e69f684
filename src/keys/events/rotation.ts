import { z } from 'zod';
import { decimal, moment, ofKey, spec } from '../model/event-fields.ts';
import { rotationTerms } from '../model/terms.ts';
import { foundRequest, noteGeneration, place } from './changes.ts';
import { eventKind } from './define.ts';

const whyPlanned = {
  age: 'it has reached the age set by its job',
  split: 'the sinks of its service may hold different keys',
  hand: 'it was requested manually',
  leak: 'it is compromised',
  new: 'the service has no key yet',
} as const;

/** A rotation as a whole, and its service. */
export const rotationEvents = {
  planned: eventKind({
    fields: {
      why: z.enum(['age', 'split', 'hand', 'leak', 'new']),
      terms: rotationTerms,
      /** The key to replace; undefined for a service without a key. */
      old: z.object({ ...ofKey, remainQuota: decimal, unlimitedQuota: z.boolean() }).optional(),
      fresh: spec.optional(),
      /** The highest listed generation when the first rotation of the service was planned: others created those keys. */
      listed: z.int().min(0).optional(),
    },
    sentence: ({ why, old, terms }) =>
      `${old === undefined ? 'a first key' : `a successor for ${old.name}`}, since ${whyPlanned[why]} (terms of ${terms.job})`,
    account: (state, { service, rotation: id, account, why, who, terms, old, fresh, listed, at }) => {
      state.rotations.set(id, {
        id,
        account,
        service,
        why,
        who,
        terms,
        ...(old === undefined ? {} : { old }),
        ...(fresh === undefined ? {} : { fresh }),
        attempts: [],
        olds: [],
        quota: [],
        tries: 0,
        beganAt: at,
        changedAt: at,
      });
      state.managed.set(service, terms.job);
      if (listed !== undefined) noteGeneration(state, service, listed);
    },
  }),
  /** A key that existed before, or that another program created, becomes a generation of the service. */
  adopted: eventKind({
    fields: { ...ofKey, born: moment },
    sentence: ({ name, generation }) => `${name} is adopted as generation ${generation}`,
    account: (state, event) => {
      const { keyId, name, service, born } = event;
      foundRequest(state, name);
      state.retained.delete(keyId);
      state.leaving.delete(keyId);
      if (!state.managed.has(service)) state.managed.set(service, undefined);
      place(state, event, born);
    },
  }),
  /** The gateway or a sink has what this journal does not know: the journal is older, or another program writes there. */
  outdated: eventKind({
    fields: { differences: z.array(z.string()) },
    sentence: ({ differences }) =>
      `the journal is older than the keys or the sinks of the service, and its key operations are suspended: ${differences.join('; ')}`,
    tone: 'bad',
    account: ({ outdated }, { service, differences, at }) =>
      void outdated.set(service, { service, since: outdated.get(service)?.since ?? at, differences }),
  }),
  /** The journal agrees with the gateway and the sinks again. */
  reconciled: eventKind({
    fields: {},
    sentence: () => 'the journal matches the gateway and the sinks again',
    account: ({ outdated }, { service }) => void outdated.delete(service),
  }),
  failed: eventKind({
    fields: { step: z.string(), code: z.string(), message: z.string(), tries: z.int() },
    sentence: ({ step, message, tries }) => `${step} failed (attempt ${tries}): ${message}`,
    tone: 'bad',
    stands: true,
    rotation: (rotation, { tries, at, step, message }) => ({
      ...rotation,
      tries,
      lastFailure: { at, step, message },
    }),
  }),
  /** Paused after the last attempt until a person resumes the rotation or gives it up. */
  waiting: eventKind({
    fields: { step: z.string(), message: z.string() },
    sentence: ({ step, message }) => `paused before ${step}, action required: ${message}`,
    tone: 'bad',
    stands: true,
    rotation: (rotation, { message, at }) => ({ ...rotation, waiting: message, waitingSince: at }),
  }),
  resumed: eventKind({
    fields: {},
    sentence: () => 'an operator resumed the rotation',
    rotation: ({ waiting: _waiting, waitingSince: _since, lastFailure: _failure, ...rotation }) => ({
      ...rotation,
      tries: 0,
    }),
  }),
  'given-up': eventKind({
    fields: {},
    sentence: () => 'the rotation was given up',
    tone: 'bad',
    rotation: (rotation) => ({ ...rotation, over: 'given-up' }),
  }),
  done: eventKind({
    fields: {},
    sentence: () => 'the rotation is complete',
    tone: 'good',
    rotation: (rotation) => ({ ...rotation, over: 'done' }),
  }),
};
