import { createHash } from 'node:crypto';
import type { Fingerprint, SinkReading } from '../model/sink.ts';

/** SHA-256 of the UTF-8 bytes, in hex. */
export const fingerprintOf = (plaintext: string): Fingerprint =>
  createHash('sha256').update(plaintext, 'utf8').digest('hex');

export const readingOf = (plaintext: string | undefined): SinkReading =>
  plaintext === undefined || plaintext === ''
    ? { state: 'empty' }
    : { state: 'holds', fingerprint: fingerprintOf(plaintext) };

/** The fingerprint at the start of the line; `sha256sum` prints a file name after it. */
export const fingerprintIn = (line: string): Fingerprint | undefined =>
  /^\\?([0-9a-f]{64})(?:\s|$)/i.exec(line.trim())?.[1]?.toLowerCase();
