import { z } from 'zod';
import { unixMillis } from '../../core/index.ts';
import type { LineageRow } from '../../warehouse/index.ts';
import type { KeyStateMaps } from '../model/key-state.ts';
import type { Rotation } from '../model/rotation.ts';
import { noteGeneration } from './changes.ts';
import { commonFields, type EventKind, type EventOf, type Fields } from './define.ts';
import { deliveryEvents } from './delivery.ts';
import { oldKeyEvents } from './old-key.ts';
import { rotationEvents } from './rotation.ts';
import { successorEvents } from './successor.ts';

/** Each kind of event. A step that may run twice has a pair of events, before and after it. */
const kinds = { ...rotationEvents, ...successorEvents, ...deliveryEvents, ...oldKeyEvents };

type Kinds = typeof kinds;

/** One event about a key, as recorded before or after it takes effect. Times in milliseconds UTC unless stated otherwise. */
export type KeyEvent = {
  [What in keyof Kinds]: Readonly<{ what: What }> & EventOf<Kinds[What]['fields']>;
}[keyof Kinds];

/** The definition of an event, with its functions as those of any event: the types cannot tie a kind to its name. */
const kindOf = ({ what }: KeyEvent) => kinds[what] as unknown as EventKind<Fields>;

/** Parses a recorded event. @throws ZodError, RangeError */
export const parseKeyEvent = (value: unknown): KeyEvent => {
  const { what } = z.looseObject({ what: z.string() }).parse(value);
  if (!Object.hasOwn(kinds, what)) throw new RangeError(`unknown key event ${what}`);
  const { fields } = kinds[what as keyof Kinds];
  return z.object({ ...commonFields, what: z.literal(what), ...fields }).parse(value) as KeyEvent;
};

/** What the history shows. */
export const describeEvent = (
  event: KeyEvent,
  zone: string,
): { readonly message: string; readonly tone: 'good' | 'bad' | 'plain' } => {
  const { sentence, tone = 'plain' } = kindOf(event);
  return { message: sentence(event, zone), tone };
};

const rotationAfter = (rotation: Rotation, event: KeyEvent): Rotation => {
  const { rotation: change, resetsTries = false, stands = false } = kindOf(event);
  const next = change === undefined ? rotation : change(rotation, event);
  return {
    ...next,
    ...((typeof resetsTries === 'function' ? resetsTries(rotation) : resetsTries) ? { tries: 0 } : {}),
    ...(stands ? {} : { changedAt: unixMillis(Math.max(event.at, rotation.changedAt)) }),
  };
};

/** Applies an event to what is known of its account. Returns the lineage row that it changed. */
export const applyEvent = (state: KeyStateMaps, event: KeyEvent): LineageRow | undefined => {
  const { rotation: id, service } = event;
  const rotation = state.rotations.get(id);
  const next = rotation === undefined ? undefined : rotationAfter(rotation, event);
  if (next?.over !== undefined) state.rotations.delete(id);
  else if (next !== undefined) state.rotations.set(id, next);
  if ('generation' in event) noteGeneration(state, service, event.generation);
  const keyId = 'keyId' in event ? event.keyId : undefined;
  const before = keyId === undefined ? undefined : state.lineage.get(keyId);
  kindOf(event).account?.(state, event);
  const after = keyId === undefined ? undefined : state.lineage.get(keyId);
  return after === before ? undefined : after;
};
