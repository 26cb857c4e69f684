import { createHash } from 'node:crypto';

export type AuditLine = {
  /** Counts from 1 without gaps. */
  readonly seq: number;
  /** The hash of the previous line; zeros for the first line. */
  readonly prev: string;
  /** SHA-256 (hex) over seq, prev and the event as written. */
  readonly hash: string;
  readonly event: unknown;
};

export type AuditHead = { readonly seq: number; readonly hash: string };

/** The head before the first line. */
export const noHead: AuditHead = { seq: 0, hash: '0'.repeat(64) };

const hashOf = (seq: number, prev: string, event: string): string =>
  createHash('sha256').update(`${seq}\n${prev}\n${event}`).digest('hex');

/** The line that follows a head, without newline. */
export const lineAfter = (
  head: AuditHead,
  written: string,
): { readonly text: string; readonly head: AuditHead } => {
  const seq = head.seq + 1;
  const hash = hashOf(seq, head.hash, written);
  return {
    text: `{"seq":${seq},"prev":"${head.hash}","hash":"${hash}","event":${written}}`,
    head: { seq, hash },
  };
};

const shape = /^\{"seq":(\d{1,15}),"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})","event":(\{.*\})\}$/s;

/** The parsed line if it is complete and its hash matches; otherwise the problem as text. */
export const readLine = (text: string): (AuditLine & { readonly written: string }) | string => {
  const [, seqText, prev, hash, written] = shape.exec(text) ?? [];
  if (seqText === undefined || prev === undefined || hash === undefined || written === undefined)
    return 'it is not a line of an audit file';
  const seq = Number(seqText);
  if (hashOf(seq, prev, written) !== hash) return 'its hash does not match its content';
  try {
    return { seq, prev, hash, written, event: JSON.parse(written) };
  } catch {
    return 'its event cannot be read';
  }
};

export const follows = (head: AuditHead, line: AuditLine): boolean =>
  line.seq === head.seq + 1 && line.prev === head.hash;
