import type { UnixMillis } from '../../core/index.ts';
import type { LineageRow } from '../../warehouse/index.ts';
import { afterEvent } from '../model/after-event.ts';
import type { KeyEvent } from '../model/key-event.ts';
import { lineageAfter } from '../model/lineage.ts';
import type { Rotation } from '../model/rotation.ts';
import type { OutdatedService } from '../model/service-types.ts';
import { createAccountMaps } from './account-maps.ts';
import { createRequestMemory } from './request-memory.ts';
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
  const requests = createRequestMemory((id) => rotations.get(id)?.terms.job);
  const outdatedOf = createAccountMaps<string, OutdatedService>();
  const managedOf = createAccountMaps<string, string | undefined>();
  const noteService = (event: KeyEvent): void => {
    const { account, service, at } = event;
    const services = managedOf(account);
    if (event.what === 'planned') services.set(service, event.terms.job);
    const isOurs = event.what === 'adopted' || event.what === 'created';
    if (isOurs && !services.has(service)) services.set(service, undefined);
    if (event.what === 'reconciled') outdatedOf(account).delete(service);
    if (event.what !== 'outdated') return;
    const since = outdatedOf(account).get(service)?.since ?? at;
    outdatedOf(account).set(service, { service, since, differences: event.differences });
  };
  const sinks = createSinkMemory();
  const highest = new Map<string, number>();
  const lineOf = createAccountMaps<number, LineageRow>();
  const leavingOf = createAccountMaps<number, LeavingKey>();
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
  const unfinishedOf = createAccountMaps<string, Set<number>>();
  const noteDelivery = (event: KeyEvent): void => {
    const { account, service } = event;
    if (event.what === 'current') unfinishedOf(account).delete(service);
    if (event.what !== 'delivering') return;
    const keys = unfinishedOf(account).get(service) ?? new Set<number>();
    unfinishedOf(account).set(service, keys.add(event.keyId));
  };
  const currentOf = createAccountMaps<string, CurrentKey>();
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
    deadKeysOf: sinks.deadKeysOf,
    outdatedOf,
    managedOf,
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
      for (const take of [noteService, requests.take, sinks.take, noteLeaving, noteDelivery, noteCurrent])
        take(event);
      const row = lineageAfter(lineOf(account), event);
      if (row !== undefined) lineOf(account).set(row.keyId, row);
      return row;
    },
  };
};
