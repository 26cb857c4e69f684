import { noHead, readLine, type AuditHead } from './audit-line.ts';

export type AuditVerdict = {
  readonly lines: number;
  readonly head: string;
  /** The first break of the chain; lines count from 1. */
  readonly broken?: { readonly line: number; readonly why: string };
};

/** Verifies the hash chain from the first line, which must be step 1. */
export const verifyAudit = async (lines: AsyncIterable<string> | Iterable<string>): Promise<AuditVerdict> => {
  let head: AuditHead = noHead;
  let number = 0;
  for await (const text of lines) {
    number += 1;
    const line = readLine(text);
    const broken = (why: string): AuditVerdict => ({
      lines: number - 1,
      head: head.hash,
      broken: { line: number, why },
    });
    if (typeof line === 'string') return broken(line);
    if (line.seq !== head.seq + 1)
      return broken(
        `it is number ${line.seq}, and ${head.seq + 1} is expected: lines are missing or were inserted`,
      );
    if (line.prev !== head.hash) return broken('it does not follow the previous line');
    head = { seq: line.seq, hash: line.hash };
  }
  return { lines: number, head: head.hash };
};
