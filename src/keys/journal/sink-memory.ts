import type { UnixMillis } from '../../core/index.ts';
import type { KeyEvent } from '../model/key-event.ts';
import type { DeadKey } from '../model/service-types.ts';
import type { Fingerprint } from '../model/sink.ts';
import { createAccountMaps } from './account-maps.ts';

/** `delivered`: one of our keys, whose delivery began; otherwise a key of somebody else that was seen at this time. */
type KnownContent = { readonly since: UnixMillis; readonly delivered: boolean };

export type KnownContents = ReadonlyMap<Fingerprint, KnownContent>;

/** The contents of sinks according to the journal: what was observed, and what a delivery began to write. */
export const createSinkMemory = () => {
  const contents = new Map<string, Map<Fingerprint, KnownContent>>();
  const fingerprints = new Map<string, Fingerprint>();
  const places = new Map<string, Set<string>>();
  const notePlace = (event: KeyEvent): void => {
    const key = keyOf(event.account, event.service);
    if (event.what === 'places-forgotten') for (const place of event.places) places.get(key)?.delete(place);
    if (event.what === 'delivering' || event.what === 'observed')
      places.set(key, (places.get(key) ?? new Set()).add(event.place));
  };
  const deadKeysOf = createAccountMaps<string, DeadKey>();
  const noteDeadKey = (event: KeyEvent): void => {
    const { account, service, at } = event;
    if (event.what === 'sink-dead') {
      const { place, keyId, name, state } = event;
      deadKeysOf(account).set(place, { service, place, keyId, name, state, since: at });
    }
    if (event.what === 'sink-well') deadKeysOf(account).delete(event.place);
    if (event.what === 'read-back') for (const place of event.places) deadKeysOf(account).delete(place);
  };
  const keyOf = (...parts: readonly (string | number)[]): string => JSON.stringify(parts);
  const add = (account: string, place: string, fingerprint: Fingerprint, content: KnownContent): void => {
    const key = keyOf(account, place);
    const known = contents.get(key) ?? new Map<Fingerprint, KnownContent>();
    contents.set(key, known);
    if (content.delivered || !known.has(fingerprint)) known.set(fingerprint, content);
  };
  return {
    contentsOf: (account: string, place: string): KnownContents =>
      contents.get(keyOf(account, place)) ?? new Map(),
    placesOf: (account: string, service: string): ReadonlySet<string> =>
      places.get(keyOf(account, service)) ?? new Set(),
    deadKeysOf,
    take: (event: KeyEvent): void => {
      const { account, at } = event;
      notePlace(event);
      noteDeadKey(event);
      // Verification may find another form of the key that calls accept.
      if ((event.what === 'created' || event.what === 'verified') && event.fingerprint !== undefined)
        fingerprints.set(keyOf(account, event.keyId), event.fingerprint);
      if (event.what === 'observed')
        add(account, event.place, event.fingerprint, { since: at, delivered: false });
      if (event.what !== 'delivering') return;
      const fingerprint = fingerprints.get(keyOf(account, event.keyId));
      if (fingerprint !== undefined) add(account, event.place, fingerprint, { since: at, delivered: true });
    },
  };
};
