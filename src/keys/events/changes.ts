import type { UnixMillis } from '../../core/index.ts';
import type { LineageRow } from '../../warehouse/index.ts';
import type { QuotaSettled } from '../model/event-fields.ts';
import type { KeyStateMaps } from '../model/key-state.ts';
import type { Attempt, OldKey, Rotation } from '../model/rotation.ts';

export const withAttempt = (
  rotation: Rotation,
  generation: number,
  change: Partial<Attempt> | ((attempt: Attempt) => Partial<Attempt>),
): Rotation => ({
  ...rotation,
  attempts: rotation.attempts.map((attempt) =>
    attempt.generation === generation
      ? { ...attempt, ...(typeof change === 'function' ? change(attempt) : change) }
      : attempt,
  ),
});

export const withOld = (rotation: Rotation, keyId: number, change: Partial<OldKey>): Rotation => ({
  ...rotation,
  olds: rotation.olds.map((old) => (old.keyId === keyId ? { ...old, ...change } : old)),
});

export const isOld = (rotation: Rotation, keyId: number): boolean =>
  rotation.olds.some((old) => old.keyId === keyId);

/** A key that is judged again may have spent since, so the successor's quota is settled once more before the key ends. */
export const unsettled = ({ olds }: Rotation, keyId: number): Pick<OldKey, 'settled'> => {
  const settled = olds.find((old) => old.keyId === keyId)?.settled;
  return settled === undefined ? {} : { settled: { ...settled, valid: false } };
};

export const withSettled = (rotation: Rotation, settles: QuotaSettled | undefined): Rotation =>
  settles === undefined
    ? rotation
    : withOld(rotation, settles.keyId, { settled: { left: settles.left, valid: true } });

type KeyOfService = {
  readonly account: string;
  readonly service: string;
  readonly keyId: number;
  readonly generation: number;
  readonly name: string;
};

/** Places a key in the lineage of its service, as created at `born`. */
export const place = (
  { lineage }: KeyStateMaps,
  { account, service, keyId, generation, name }: KeyOfService,
  born: UnixMillis,
): LineageRow => {
  const row = { account, keyId, service, generation, name, born };
  lineage.set(keyId, row);
  return row;
};

/** Records that a key left the lineage; an orphan without an answer appears there for the first time. */
export const leave = (state: KeyStateMaps, event: KeyOfService & { readonly at: UnixMillis }): void => {
  const known = state.lineage.get(event.keyId) ?? place(state, event, event.at);
  state.lineage.set(event.keyId, { ...known, retired: event.at });
};

/** Ends the current key of the service, if it is this one. */
export const endCurrent = ({ current }: KeyStateMaps, service: string, keyId: number): void => {
  if (current.get(service)?.keyId === keyId) current.delete(service);
};

/** The service has, or had, a key of this generation. */
export const noteGeneration = ({ highest }: KeyStateMaps, service: string, generation: number): void =>
  void highest.set(service, Math.max(generation, highest.get(service) ?? 0));

/** Marks a request as answered: its key was found, or it ended. */
export const foundRequest = ({ requests }: KeyStateMaps, name: string): void => {
  const request = requests.get(name);
  if (request?.isLost === true) requests.set(name, { ...request, isLost: false });
};
