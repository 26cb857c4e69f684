import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../secrets.ts';

/** A key for one purpose, derived from a secret (HKDF with SHA-256, RFC 5869), so that no two purposes share one. */
export const deriveKey = (secret: Secret, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret.reveal(), '', `tollkeeper ${purpose}`, 32));

/** An HMAC with SHA-256 as URL-safe text. */
export const macOf = (text: string, key: Buffer): string =>
  createHmac('sha256', key).update(text).digest('base64url');

/** Compares hashes in constant time: the duration depends on neither the length nor the start of the texts. */
export const isSameSecret = (one: string, other: string): boolean => {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
};

/** The text, readable by anyone, with its signature; safe in URLs and cookies. */
export const signText = (text: string, key: Buffer): string => {
  const payload = Buffer.from(text).toString('base64url');
  return `${payload}.${macOf(payload, key)}`;
};

/** The text that was signed with this key; undefined for any other. */
export const readSigned = (signed: string, key: Buffer): string | undefined => {
  const [payload, mac, ...more] = signed.split('.');
  if (payload === undefined || mac === undefined || more.length > 0) return undefined;
  return isSameSecret(mac, macOf(payload, key)) ? Buffer.from(payload, 'base64url').toString() : undefined;
};
