import { z } from 'zod';
import { moment } from '../model/event-fields.ts';
import type { KeyStateMaps } from '../model/key-state.ts';
import type { Rotation } from '../model/rotation.ts';

/** The fields of every event. */
export const commonFields = {
  at: moment,
  /** `job rotate-prod`, or the person at the command line. */
  who: z.string(),
  account: z.string(),
  service: z.string(),
  /** The id of the rotation, expiry or other operation that the event belongs to. */
  rotation: z.string(),
};

export type Fields = Readonly<Record<string, z.ZodType>>;

/** Times in milliseconds UTC unless stated otherwise. */
export type EventOf<Own extends Fields> = Readonly<
  { [Field in keyof typeof commonFields]: z.output<(typeof commonFields)[Field]> } &
    // A Zod object without own fields would forbid the common ones.
    (keyof Own extends never ? unknown : z.output<z.ZodObject<Own>>)
>;

/** A kind of event: its own fields, what it changes, and the sentence that the history shows. */
export type EventKind<Own extends Fields> = {
  readonly fields: Own;
  /** `zone`: of times in the sentence. */
  readonly sentence: (event: EventOf<Own>, zone: string) => string;
  readonly tone?: 'good' | 'bad';
  /** The rotation after the event; unchanged if omitted. */
  readonly rotation?: (rotation: Rotation, event: EventOf<Own>) => Rotation;
  /** What else is known about the keys of the account. Runs after `rotation`. */
  readonly account?: (state: KeyStateMaps, event: EventOf<Own>) => void;
  /** Whether it resets the count of failures; not for a step that a lost plaintext undoes, or a failing sink would receive key after key. */
  readonly resetsTries?: boolean | ((rotation: Rotation) => boolean);
  /** It does not advance the rotation. */
  readonly stands?: boolean;
};

/** Infers the fields of an event for its functions. */
export const eventKind = <Own extends Fields>(kind: EventKind<Own>): EventKind<Own> => kind;
