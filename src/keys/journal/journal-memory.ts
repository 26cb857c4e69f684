import type { UnixMillis } from '../../core/index.ts';
import type { LineageRow } from '../../warehouse/index.ts';
import { afterEvent } from '../after-event.ts';
import type { KeyEvent } from '../key-event.ts';
import { lineageAfter } from '../lineage.ts';
import type { Rotation } from '../rotation.ts';
import { createDeadKeyMemory } from './dead-key-memory.ts';
import { createRequestMemory } from './request-memory.ts';
import { createServiceMemory } from './service-memory.ts';
import { createSinkMemory } from './sink-memory.ts';

export type LeavingKey = {
  readonly rotation: string;
  readonly service: string;
  readonly generation: number;
  readonly name: string;
  readonly why: 'orphan' | 'probe';
  /** When its deletion was first requested. */
  readonly since: UnixMillis;
};

export type CurrentKey = { readonly keyId: number; readonly places: readonly string[] };

export const createJournalMemory = () => {
  const rotations = new Map<string, Rotation>();
  const lineages = new Map<string, Map<number, LineageRow>>();
  const requests = createRequestMemory((id) => rotations.get(id)?.terms.job);
  const services = createServiceMemory();
  const sinks = createSinkMemory();
  const deadKeys = createDeadKeyMemory();
  const leaving = new Map<string, Map<number, LeavingKey>>();
  const highest = new Map<string, number>();
  const lineOf = (account: string): Map<number, LineageRow> => {
    const known = lineages.get(account) ?? new Map<number, LineageRow>();
    lineages.set(account, known);
    return known;
  };
  const leavingOf = (account: string): Map<number, LeavingKey> => {
    const known = leaving.get(account) ?? new Map<number, LeavingKey>();
    leaving.set(account, known);
    return known;
  };
  const noteLeaving = (event: KeyEvent): void => {
    const { account, rotation, service } = event;
    const isSettled = event.what === 'deleted' || event.what === 'vanished' || event.what === 'adopted';
    // A key that is retained in the end is handled with the retained orphans.
    if (isSettled || (event.what === 'retained' && event.keyId !== undefined))
      leavingOf(account).delete(event.keyId ?? 0);
    if (event.what !== 'deleting' || (event.why !== 'orphan' && event.why !== 'probe')) return;
    const { keyId, generation, name, why } = event;
    const since = leavingOf(account).get(keyId)?.since ?? event.at;
    leavingOf(account).set(keyId, { rotation, service, generation, name, why, since });
  };
  const unfinished = new Map<string, Map<string, Set<number>>>();
  const unfinishedOf = (account: string): Map<string, Set<number>> => {
    const known = unfinished.get(account) ?? new Map<string, Set<number>>();
    unfinished.set(account, known);
    return known;
  };
  const noteDelivery = (event: KeyEvent): void => {
    const { account, service } = event;
    if (event.what === 'current') unfinishedOf(account).delete(service);
    if (event.what !== 'delivering') return;
    const keys = unfinishedOf(account).get(service) ?? new Set<number>();
    unfinishedOf(account).set(service, keys.add(event.keyId));
  };
  const current = new Map<string, Map<string, CurrentKey>>();
  const currentOf = (account: string): Map<string, CurrentKey> => {
    const known = current.get(account) ?? new Map<string, CurrentKey>();
    current.set(account, known);
    return known;
  };
  const fingerprints = new Map<string, string>();
  const readBack = new Map<string, readonly string[]>();
  const noteCurrent = (event: KeyEvent): void => {
    const { account, service } = event;
    if ((event.what === 'created' || event.what === 'verified') && event.fingerprint !== undefined)
      fingerprints.set(keyOf(account, String(event.keyId)), event.fingerprint);
    if (event.what === 'observed' && event.keyId !== undefined)
      fingerprints.set(keyOf(account, String(event.keyId)), event.fingerprint);
    if (event.what === 'read-back') readBack.set(keyOf(account, String(event.keyId)), event.places);
    if (event.what === 'current')
      currentOf(account).set(service, {
        keyId: event.keyId,
        places: readBack.get(keyOf(account, String(event.keyId))) ?? [],
      });
    const isOver = event.what === 'deleted' || event.what === 'vanished' || event.what === 'retired';
    if (isOver && currentOf(account).get(service)?.keyId === event.keyId) currentOf(account).delete(service);
  };
  const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts);
  const noteGeneration = ({ account, service }: KeyEvent, generation: number): void => {
    const key = keyOf(account, service);
    highest.set(key, Math.max(generation, highest.get(key) ?? 0));
  };
  /** The gateway refused to create the key, so the next one takes its number. */
  const forgetGeneration = ({ account, service }: KeyEvent, generation: number): void => {
    const key = keyOf(account, service);
    if (highest.get(key) === generation) highest.set(key, generation - 1);
  };
  return {
    rotations,
    lineOf,
    leavingOf,
    unfinishedOf,
    currentOf,
    fingerprint: (account: string, keyId: number) => fingerprints.get(keyOf(account, String(keyId))),
    contentsOf: sinks.contentsOf,
    placesOf: sinks.placesOf,
    deadKeysOf: deadKeys.deadKeysOf,
    outdatedOf: services.outdatedOf,
    managedOf: services.managedOf,
    retainedOf: requests.retainedOf,
    requestOf: requests.requestOf,
    lost: requests.lost,
    highest: (account: string, service: string) => highest.get(keyOf(account, service)) ?? 0,
    /** Returns the lineage row that changes. */
    take: (event: KeyEvent): LineageRow | undefined => {
      const { account, rotation } = event;
      const next = afterEvent(rotations.get(rotation), event);
      if (next !== undefined) rotations.set(rotation, next);
      // Only the history needs rotations that are over.
      if (next?.over !== undefined) rotations.delete(rotation);
      if ('generation' in event) noteGeneration(event, event.generation);
      if (event.what === 'planned' && event.listed !== undefined) noteGeneration(event, event.listed);
      if (event.what === 'create-lost' && event.refused === true) forgetGeneration(event, event.generation);
      for (const take of [
        services.take,
        requests.take,
        sinks.take,
        deadKeys.take,
        noteLeaving,
        noteDelivery,
        noteCurrent,
      ])
        take(event);
      const row = lineageAfter(lineOf(account), event);
      if (row !== undefined) lineOf(account).set(row.keyId, row);
      return row;
    },
  };
};
