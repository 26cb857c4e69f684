/** A request the sandbox has seen, without its secrets. */
export type RequestRecord = {
  /** Milliseconds of the caller's clock. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Which sort of key came with it; never the key. */
  readonly authorization: 'none' | 'admin key' | 'other';
  readonly userAgent: string;
  readonly acceptEncoding: string;
  /** The JSON body of a key write. */
  body: unknown;
  /** HTTP status; 0 until something is answered. */
  status: number;
  /** The planted fault that struck it. */
  fault: string | undefined;
  /** Pieces of the body made so far: one for the header and one a row in an export. */
  pieces: number;
  /** Whether the answer is out, or the connection gone. */
  done: boolean;
};

export type KeyWrite = 'POST' | 'PUT' | 'DELETE';

export type Requests = {
  /** Oldest first; the last 10,000. */
  all(): readonly RequestRecord[];
  /** Requests that wanted to change something on the admin side. */
  writes(): number;
  /** Of them those to keys, by method. */
  keyWrites(): Readonly<Record<KeyWrite, number>>;
  clear(): void;
};

const KEPT = 10_000;

/** Whatever looks like a key in a text. */
export const redact = (text: string): string => text.replaceAll(/sk-[\w-]+/gu, 'sk-***');

export const createRequests = (): Requests & { add(record: RequestRecord): void } => {
  let records: RequestRecord[] = [];
  let writes = 0;
  let keyWrites = { POST: 0, PUT: 0, DELETE: 0 };
  return {
    all: () => records,
    writes: () => writes,
    keyWrites: () => keyWrites,
    clear() {
      records = [];
      writes = 0;
      keyWrites = { POST: 0, PUT: 0, DELETE: 0 };
    },
    add(record) {
      if (records.length >= KEPT) records.shift();
      records.push(record);
      if (record.method !== 'GET' && record.path.startsWith('/api/')) writes += 1;
      const { method } = record;
      if (record.path.startsWith('/api/token') && Object.hasOwn(keyWrites, method))
        keyWrites = { ...keyWrites, [method]: keyWrites[method as KeyWrite] + 1 };
    },
  };
};
