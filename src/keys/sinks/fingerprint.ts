import { createHash } from 'node:crypto';
import type { Fingerprint } from '../sink.ts';

/** SHA-256 of the text's UTF-8 bytes, in hex. */
export const fingerprintOf = (plaintext: string): Fingerprint =>
  createHash('sha256').update(plaintext, 'utf8').digest('hex');

/** The first word of a line when it is a fingerprint: what `sha256sum` prints has a file name behind it. */
export const fingerprintIn = (line: string): Fingerprint | undefined =>
  /^\\?([0-9a-f]{64})(?:\s|$)/i.exec(line.trim())?.[1]?.toLowerCase();
