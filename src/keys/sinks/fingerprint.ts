import { createHash } from 'node:crypto';
import type { Fingerprint, SinkReading } from '../sink.ts';

/** SHA-256 of the text's UTF-8 bytes, in hex. */
export const fingerprintOf = (plaintext: string): Fingerprint =>
  createHash('sha256').update(plaintext, 'utf8').digest('hex');

/** What a place with this text, or without one, holds. */
export const readingOf = (plaintext: string | undefined): SinkReading =>
  plaintext === undefined || plaintext === ''
    ? { state: 'empty' }
    : { state: 'holds', fingerprint: fingerprintOf(plaintext) };

/** The first word of a line when it is a fingerprint: what `sha256sum` prints has a file name behind it. */
export const fingerprintIn = (line: string): Fingerprint | undefined =>
  /^\\?([0-9a-f]{64})(?:\s|$)/i.exec(line.trim())?.[1]?.toLowerCase();
