export type RequestRecord = {
  /** Milliseconds of the caller's clock. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The kind of the key in the request; never the key. */
  readonly authorization: 'none' | 'admin key' | 'other';
  readonly userAgent: string;
  readonly acceptEncoding: string;
  body: unknown;
  /** HTTP status; 0 before the answer. */
  status: number;
  fault: string | undefined;
  /** Pieces of the body generated so far: one for the header and one per row in an export. */
  pieces: number;
  /** The answer is sent, or the connection is gone. */
  done: boolean;
};

type KeyWrite = 'POST' | 'PUT' | 'DELETE';

const KEPT = 10_000;

export const redact = (text: string): string => text.replaceAll(/sk-[\w-]+/gu, 'sk-***');

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
