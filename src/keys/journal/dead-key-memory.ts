import type { UnixMillis } from '../../core/index.ts';
import type { KeyEvent } from '../key-event.ts';

export type DeadKey = {
  readonly service: string;
  readonly place: string;
  readonly keyId: number;
  readonly name: string;
  readonly state: 'deleted' | 'expired' | 'disabled';
  /** When the sink was read. */
  readonly since: UnixMillis;
};

export const createDeadKeyMemory = () => {
  const dead = new Map<string, Map<string, DeadKey>>();
  const of = (account: string): Map<string, DeadKey> => {
    const known = dead.get(account) ?? new Map<string, DeadKey>();
    dead.set(account, known);
    return known;
  };
  return {
    deadKeysOf: (account: string): ReadonlyMap<string, DeadKey> => of(account),
    take: (event: KeyEvent): void => {
      const { account, service, at } = event;
      if (event.what === 'sink-dead') {
        const { place, keyId, name, state } = event;
        of(account).set(place, { service, place, keyId, name, state, since: at });
      }
      if (event.what === 'sink-well') of(account).delete(event.place);
      if (event.what === 'read-back') for (const place of event.places) of(account).delete(place);
    },
  };
};
