import type { UnixMillis } from '../../core/index.ts';
import type { KeyEvent, KeyEventOf, KeyFields } from '../model/key-event.ts';
import type { Fingerprint } from '../model/sink.ts';
import { createAccountMaps } from './account-maps.ts';

/** A key creation request, as recorded before it was sent. */
export type KeyRequest = {
  readonly rotation: string;
  readonly service: string;
  readonly generation: number;
  readonly name: string;
  readonly askedAt: UnixMillis;
  /** Amounts in the unit of answers. */
  readonly spec: KeyFields;
  /** The job whose sinks receive the key; undefined for temporary keys. */
  readonly job?: string | undefined;
  /** The id in the answer; undefined if no answer is recorded. */
  readonly keyId?: number | undefined;
  readonly fingerprint?: Fingerprint | undefined;
  /** The requesting process observed that no answer came, so the plaintext never arrived anywhere. */
  readonly isUnanswered?: boolean;
};

export type RetainedKey = KeyEventOf<'retained'> & { readonly keyId: number };

export const createRequestMemory = (jobOf: (rotation: string) => string | undefined) => {
  const requests = new Map<string, KeyRequest>();
  const lost = new Set<string>();
  const keyOf = (account: string, name: string): string => JSON.stringify([account, name]);
  const retainedOf = createAccountMaps<number, RetainedKey>();
  const take = (event: KeyEvent): void => {
    const { account, rotation, service } = event;
    switch (event.what) {
      case 'creating': {
        const { generation, name, spec, at: askedAt } = event;
        const job = jobOf(rotation);
        const request = { rotation, service, generation, name, askedAt, spec };
        requests.set(keyOf(account, name), { ...request, ...(job === undefined ? {} : { job }) });
        lost.add(keyOf(account, name));
        return;
      }
      case 'created': {
        const { keyId, fingerprint, name } = event;
        const request = requests.get(keyOf(account, name));
        if (request !== undefined) requests.set(keyOf(account, name), { ...request, keyId, fingerprint });
        lost.delete(keyOf(account, name));
        return;
      }
      case 'verified': {
        const { fingerprint, name } = event;
        const request = requests.get(keyOf(account, name));
        if (request !== undefined && fingerprint !== undefined)
          requests.set(keyOf(account, name), { ...request, fingerprint });
        return;
      }
      case 'create-lost': {
        const request = requests.get(keyOf(account, event.name));
        if (event.refused === true) lost.delete(keyOf(account, event.name));
        // After a kill or a restore it is unknown whether the answer arrived.
        else if (request !== undefined && event.code !== 'interrupted')
          requests.set(keyOf(account, event.name), { ...request, isUnanswered: true });
        return;
      }
      case 'retained':
        if (event.keyId !== undefined) retainedOf(account).set(event.keyId, { ...event, keyId: event.keyId });
        return;
      case 'deleting':
        lost.delete(keyOf(account, event.name));
        return;
      case 'adopted':
        lost.delete(keyOf(account, event.name));
        retainedOf(account).delete(event.keyId);
        return;
      case 'deleted':
      case 'vanished':
        retainedOf(account).delete(event.keyId);
        return;
      default:
    }
  };
  return {
    take,
    retainedOf,
    requestOf: (account: string, name: string) => requests.get(keyOf(account, name)),
    lost: (account: string, name: string) =>
      lost.has(keyOf(account, name)) ? requests.get(keyOf(account, name)) : undefined,
  };
};
