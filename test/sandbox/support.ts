import { parse } from 'csv-parse/sync';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';

/** Saturday, 21 November 2026, 06:03:07 UTC. */
export const NOW = Date.UTC(2026, 10, 21, 6, 3, 7);
export const seconds = (millis: number): number => Math.floor(millis / 1000);

export type Reply = { status: number; headers: Headers; text: string; json: Record<string, unknown> };

export type Box = Awaited<ReturnType<typeof open>>;
type Options = Partial<Omit<SandboxOptions, 'now'>> & { start?: number };

type Call = { method?: string; body?: unknown; key?: string; headers?: Record<string, string> };
type Query = Record<string, string | number>;

export type Table = { header: string[]; rows: Record<string, string>[]; text: string; headers: Headers };

type KeyTexts = Record<'name' | 'key_mask' | 'remain_quota' | 'group', string>;
type KeyNumbers = Record<'id' | 'status' | 'expired_time' | 'created_time', number>;
export type ShownKey = KeyTexts & KeyNumbers & { unlimited_quota: boolean };
type Page = { items: ShownKey[]; page: number; page_size: number; total: number };

export const column = ({ rows }: Table, name: string): string[] => rows.map((row) => row[name] ?? 'absent');

/** The log or usage export as records; the byte-order mark is taken off. */
const tableOf = ({ headers, text }: Reply): Table => {
  const isCsv = headers.get('content-type')?.startsWith('text/csv') === true;
  const [header = [], ...rest] = isCsv ? parse(text, { bom: true, relax_column_count: true }) : [];
  const rows = rest.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])));
  return { header, rows, text, headers };
};

export const open = async ({ start = NOW, ...options }: Options = {}) => {
  const clock = { now: start };
  const defaults = { months: 1, callsPerDay: 20 };
  const sandbox: Sandbox = await startSandbox({ ...defaults, ...options, now: () => clock.now });
  const call = async (path: string, { method = 'GET', body, key, headers }: Call = {}): Promise<Reply> => {
    const response = await fetch(sandbox.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key ?? sandbox.adminKey}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    // The byte-order mark is part of what is looked at.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const json = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
    return { status: response.status, headers: response.headers, text, json };
  };
  const query = (parameters: Query) => new URLSearchParams(parameters as Record<string, string>).toString();
  const keys = (parameters: Query = {}) => call(`/api/token/?${query(parameters)}`);
  const post = (key: string, path: string, body: unknown) => call(path, { method: 'POST', key, body });
  return {
    sandbox,
    clock,
    call,
    keys,
    post,
    profile: () => call('/api/user/self'),
    stat: (parameters: Query = {}) => call(`/api/log/self/stat?${query(parameters)}`),
    log: async (parameters: Query = {}): Promise<Table> =>
      tableOf(await call(`/api/log/self/stream-export?${query(parameters)}`)),
    usage: async (parameters: Query = {}): Promise<Table> => {
      const whole = { start_timestamp: NOW - 20 * 86_400_000, end_timestamp: NOW + 3_600_000 };
      return tableOf(await call(`/api/data/self/pivot/stream-export?${query({ ...whole, ...parameters })}`));
    },
    page: async (parameters: Query = {}): Promise<Page> => (await keys(parameters)).json['data'] as Page,
    readKey: async (id: number) => (await call(`/api/token/${id}`)).json['data'] as ShownKey,
    updateKey: (body: unknown) => call('/api/token/', { method: 'PUT', body }),
    deleteKey: (id: number) => call(`/api/token/${id}`, { method: 'DELETE' }),
    createKey: async (fields: Record<string, unknown> = {}) => {
      const usual = { name: 'made', unlimited_quota: true, expired_time: -1, group: '', remain_quota: 0 };
      const reply = await post(sandbox.adminKey, '/api/token/', { ...usual, ...fields });
      const data = reply.json['data'] as { id: number; key: string } | null;
      return { id: data?.id ?? 0, key: data?.key ?? '', reply };
    },
    embed: (key: string, input: unknown = 'hello', more: Record<string, unknown> = {}) =>
      post(key, '/v1/embeddings', { model: 'text-embedding-3-small', input, ...more }),
    ask: (key: string, more: Record<string, unknown> = {}) => {
      const messages = [{ role: 'user', content: 'Hello' }];
      return post(key, '/v1/messages', { model: 'claude-haiku-4-5', max_tokens: 100, messages, ...more });
    },
  };
};

/** Opens a sandbox, lets the test look, and closes it whatever happens. */
export const withBox = async <Value>(
  options: Options,
  look: (box: Box) => Promise<Value>,
): Promise<Value> => {
  const box = await open(options);
  try {
    return await look(box);
  } finally {
    await box.sandbox.stop();
  }
};

/** Exact sum of decimal texts, as a bigint of 10^-9. */
export const exactSum = (texts: readonly string[]): bigint =>
  texts.reduce((sum, text) => {
    const match = /^(-?)(\d+)(?:\.(\d{1,9}))?$/u.exec(text);
    if (match === null) throw new Error(`not a decimal: ${text}`);
    const size = BigInt(`${match[2]}${(match[3] ?? '').padEnd(9, '0')}`);
    return match[1] === '-' ? sum - size : sum + size;
  }, 0n);

/** Exact sums of the values of a usage export, by their dimension or time. */
export const sumBy = ({ rows }: Table, name: string): Record<string, bigint> => {
  const sums: Record<string, bigint> = {};
  for (const { [name]: by = '', value = '' } of rows) sums[by] = (sums[by] ?? 0n) + exactSum([value]);
  return sums;
};

/** The text of a JSON number inside an answer, as it was written. */
export const written = (text: string, name: string): string =>
  new RegExp(`"${name}":(-?[\\d.]+)`, 'u').exec(text)?.[1] ?? 'absent';
