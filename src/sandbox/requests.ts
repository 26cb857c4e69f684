import type { IncomingMessage } from 'node:http';
import { bearer } from './request.ts';

type KeyWrite = 'POST' | 'PUT' | 'DELETE';

const KEPT = 10_000;

const redact = (text: string): string => text.replaceAll(/sk-[\w-]+/gu, 'sk-***');

const keyKindOf = (key: string | undefined): 'none' | 'admin key' | 'other' => {
  if (key === undefined) return 'none';
  return key.startsWith('sk-admin-') ? 'admin key' : 'other';
};

/** The record of a request before its answer. `at`: milliseconds of the caller's clock. */
export const recordOf = ({ method, headers }: IncomingMessage, url: URL, at: number) => ({
  at,
  method: method ?? '',
  path: redact(url.pathname),
  query: Object.fromEntries([...url.searchParams].map(([name, value]) => [name, redact(value)])),
  /** The kind of the key in the request; never the key. */
  authorization: keyKindOf(bearer(headers)),
  userAgent: headers['user-agent'] ?? '',
  acceptEncoding: headers['accept-encoding'] ?? '',
  body: undefined as unknown,
  /** HTTP status; 0 before the answer. */
  status: 0,
  fault: undefined as string | undefined,
  /** Pieces of the body generated so far: one for the header and one per row in an export. */
  pieces: 0,
  /** The answer is sent, or the connection is gone. */
  done: false,
});

export type RequestRecord = ReturnType<typeof recordOf>;

export const createRequests = () => {
  let records: RequestRecord[] = [];
  let writes = 0;
  let keyWrites: Readonly<Record<KeyWrite, number>> = { POST: 0, PUT: 0, DELETE: 0 };
  return {
    /** Oldest first; the last 10,000. */
    all: (): readonly RequestRecord[] => records,
    writes: () => writes,
    keyWrites: () => keyWrites,
    clear(): void {
      records = [];
      writes = 0;
      keyWrites = { POST: 0, PUT: 0, DELETE: 0 };
    },
    add(record: RequestRecord): void {
      if (records.length >= KEPT) records.shift();
      records.push(record);
      if (record.method !== 'GET' && record.path.startsWith('/api/')) writes += 1;
      const { method } = record;
      if (record.path.startsWith('/api/token') && Object.hasOwn(keyWrites, method))
        keyWrites = { ...keyWrites, [method]: keyWrites[method as KeyWrite] + 1 };
    },
  };
};

export type Requests = ReturnType<typeof createRequests>;
