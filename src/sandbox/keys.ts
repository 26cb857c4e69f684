import { createHash } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { fourDigits } from './decimal.ts';
import type { Json } from './exact-json.ts';
import type { Choices } from './variants.ts';

/** An API key as the gateway stores it: only the hash of the plaintext. */
export type StoredKey = {
  readonly id: number;
  /** SHA-256 (hex) of the value without its sk- prefix. */
  readonly hash: string;
  readonly mask: string;
  readonly createdAt: number;
  consumer: string | undefined;
  name: string;
  disabled: boolean;
  /** Unix seconds at which it was disabled. */
  disabledAt: number;
  /** Grains left, without the simulated spend since `remainSince`. */
  remain: bigint;
  remainSince: number;
  /** Unix seconds at which a call used up the rest. */
  exhaustedAt: number | undefined;
  unlimited: boolean;
  /** Unix seconds; -1 means never. */
  expiredTime: number;
  /** Unix seconds at which an update made a valid key expired: caches keep it from then on. */
  expiredSince: number;
  group: string;
  /** Grains spent since an Admin Key last read this key. */
  spentSinceRead: bigint;
};

/** The fields that an Admin Key may set, in the gateway's units. */
export type KeyFields = Pick<StoredKey, 'name' | 'remain' | 'unlimited' | 'expiredTime' | 'group'>;

type NewKey = KeyFields & {
  readonly createdAt: number;
  readonly consumer?: string;
  readonly disabled?: boolean;
};

const plaintexts = channel('tollkeeper:sandbox:plaintext');

/** Publishes each plaintext within this process, so that tests can search for it where none may occur. */
export const handedOut = (plaintext: string): void => plaintexts.publish({ plaintext });

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Letters and digits. */
export const newSecret = (random: () => number, length = 48): string =>
  Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');

/** An Admin Key is valid only with its prefix. */
export const adminHashOf = (plaintext: string): string =>
  createHash('sha256').update(plaintext).digest('hex');

/** An API key is valid with and without its prefix. */
export const hashOf = (plaintext: string): string => adminHashOf(plaintext.replace(/^sk-/u, ''));

export const createKeyStore = (random: () => number) => {
  const keys = new Map<number, StoredKey>();
  const byHash = new Map<string, StoredKey>();
  const deletedAt = new Map<number, number>();
  let lastId = 100;

  return {
    create({ consumer, disabled = false, createdAt, ...fields }: NewKey) {
      lastId += 1;
      const secret = newSecret(random);
      const key: StoredKey = {
        ...fields,
        id: lastId,
        hash: hashOf(secret),
        mask: `sk-${secret.slice(0, 4)}**********${secret.slice(-4)}`,
        createdAt,
        consumer,
        disabled,
        disabledAt: createdAt,
        remainSince: createdAt,
        exhaustedAt: undefined,
        expiredSince: 0,
        spentSinceRead: 0n,
      };
      keys.set(key.id, key);
      byHash.set(key.hash, key);
      return { key, plaintext: secret };
    },
    get: (id: number): StoredKey | undefined => keys.get(id),
    /** Oldest first. */
    all: (): readonly StoredKey[] => [...keys.values()],
    remove(id: number, at: number): boolean {
      if (!keys.delete(id)) return false;
      deletedAt.set(id, at);
      return true;
    },
    /** By plaintext, with or without the prefix; also finds keys deleted since `since` (Unix seconds). */
    find(plaintext: string, since: number): StoredKey | undefined {
      const key = byHash.get(hashOf(plaintext));
      return key !== undefined && (deletedAt.get(key.id) ?? Infinity) > since ? key : undefined;
    },
  };
};

export type KeyStore = ReturnType<typeof createKeyStore>;

export const hasExpired = ({ expiredTime }: Pick<StoredKey, 'expiredTime'>, at: number): boolean =>
  expiredTime !== -1 && expiredTime <= at;

export const keyState = (
  key: StoredKey,
  remain: bigint,
  at: number,
): 'live' | 'disabled' | 'expired' | 'exhausted' => {
  if (key.disabled) return 'disabled';
  if (hasExpired(key, at)) return 'expired';
  return !key.unlimited && remain <= 0n ? 'exhausted' : 'live';
};

const statusNumbers = { live: 1, disabled: 2, expired: 3, exhausted: 4 } as const;

/** The status that the gateway shows; 3 and 4 may be late or missing. */
export const shownStatus = (variants: Choices, key: StoredKey, remain: bigint, at: number): number => {
  const state = keyState(key, remain, at);
  if (state === 'live' || state === 'disabled') return statusNumbers[state];
  const since =
    state === 'expired' ? Math.max(key.expiredTime, key.createdAt) : (key.exhaustedAt ?? key.remainSince);
  return at - since >= variants.key_status ? statusNumbers[state] : statusNumbers.live;
};

/** The key as a read shows it (docs/gateway.md G8.1). */
export const shownKey = (variants: Choices, key: StoredKey, remain: bigint, at: number): Json => ({
  id: key.id,
  name: key.name,
  key_mask: key.mask,
  status: shownStatus(variants, key, remain, at),
  remain_quota: fourDigits(remain),
  unlimited_quota: key.unlimited,
  expired_time: key.expiredTime,
  group: key.group,
  created_time: key.createdAt,
});
