import { messageOf, systemCode } from '../../core/index.ts';

/** A fault in a file of the report folder; line and column count from 1. */
export type ReportFault = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly advice?: string | undefined;
};

/** Reads a text file; rejects as `node:fs` does. */
export type ReadFile = (path: string) => Promise<string>;

export const isNotThere = (error: unknown): boolean => systemCode(error) === 'ENOENT';

export const whyUnreadable = (error: unknown): string =>
  isNotThere(error) ? 'there is no such file' : `cannot be read: ${messageOf(error)}`;
