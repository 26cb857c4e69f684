import type { Answer } from '../answer-shape.ts';
import type { Request } from '../request.ts';

/** A hostile or broken behaviour of a gateway, outside the contract: the answer, made from the regular one. */
export type Behaviour = {
  readonly meaning: string;
  readonly change: (answer: Answer, request: Request) => Answer;
};

type Change = Behaviour['change'];

export const json = 'application/json; charset=utf-8';
export const csv = 'text/csv; charset=utf-8';

export const logPath = '/api/log/self/stream-export';
export const usagePath = '/api/data/self/pivot/stream-export';
export const profilePath = '/api/user/self';
export const statisticsPath = '/api/log/self/stat';
const keysPath = '/api/token/';

export function* endless(piece: string, first = ''): Generator<string, void> {
  if (first !== '') yield first;
  for (;;) yield piece;
}

const text = (status: number, type: string, body: Answer['body'], headers = {}): Answer => ({
  status,
  headers: { 'content-type': type, ...headers },
  body,
});

/** A change of the answers of one path, or of all; reads of keys have the id of a key in their path. */
const at = (meaning: string, path: string | undefined, change: Change): Behaviour => ({
  meaning,
  change: (answer, request) =>
    path === undefined ||
    request.path === path ||
    (path === keysPath && request.path.startsWith(keysPath) && request.method === 'GET')
      ? change(answer, request)
      : answer,
});

const data = (value: string): Answer => text(200, json, `{"success":true,"message":"","data":${value}}`);

/** The same answer to every request. */
export const everywhere = (
  meaning: string,
  status: number,
  type: string,
  body: () => Answer['body'],
  headers = {},
): Behaviour => at(meaning, undefined, () => text(status, type, body(), headers));

export const withHeader = (meaning: string, name: string, value: string): Behaviour =>
  at(meaning, undefined, (answer) => ({ ...answer, headers: { ...answer.headers, [name]: value } }));

/** The data of an envelope, as JSON text. */
export const dataOf = (meaning: string, path: string | undefined, value: () => string): Behaviour =>
  at(meaning, path, () => data(value()));

type Fields = Record<string, unknown>;

const changeFields = (meaning: string, fields: Readonly<Record<string, string>>, most: number): Behaviour =>
  at(meaning, keysPath, (answer) => {
    if (typeof answer.body !== 'string' || answer.status !== 200) return answer;
    const envelope = JSON.parse(answer.body) as { data?: (Fields & { items?: Fields[] }) | null };
    const keys = envelope.data?.items ?? (envelope.data ? [envelope.data] : []);
    for (const one of keys.slice(0, most)) for (const name of Object.keys(fields)) one[name] = `@@${name}@@`;
    return {
      ...answer,
      body: Object.entries(fields).reduce(
        (text, [name, value]) => text.replaceAll(`"@@${name}@@"`, () => value),
        JSON.stringify(envelope),
      ),
    };
  });

/** Changes fields of the first key of a list, or of the key that was read; values are JSON text. */
export const withFields = (meaning: string, fields: Readonly<Record<string, string>>): Behaviour =>
  changeFields(meaning, fields, 1);

export const withFieldsOfAll = (meaning: string, fields: Readonly<Record<string, string>>): Behaviour =>
  changeFields(meaning, fields, Infinity);

/** Other keys in place of those of the account: `count` on a page, all on one page unless there is a total. */
export const pages = (
  meaning: string,
  { count, total = count, turns = false }: { count: number; total?: number; turns?: boolean },
  fieldsOf: (id: number) => { readonly name: string; readonly key?: string },
): Behaviour =>
  at(meaning, keysPath, (_, { query }) => {
    const first = turns ? Number(query.get('p') ?? '1') * 1000 : 1;
    const rest = { status: 1, remain_quota: '1', unlimited_quota: false, expired_time: -1 };
    const ids = Array.from({ length: count }, (_, index) => first + index);
    const items = ids.map((id) => ({ ...fieldsOf(id), id, ...rest }));
    return data(JSON.stringify({ items, page: 1, page_size: 100, total }));
  });

const rowsOf = ({ body }: Answer): readonly string[] => {
  if (body instanceof Uint8Array) return [];
  return typeof body === 'string' ? [body] : [...body];
};

/** The cells of one column of the log export. */
export const withCell = (meaning: string, name: string, value: string): Behaviour =>
  at(meaning, logPath, (answer) => {
    const [header = '', ...rows] = rowsOf(answer);
    const column = header.replace('\uFEFF', '').trim().split(',').indexOf(name);
    const changed = rows.map((row) => {
      const cells = row.trim().split(',');
      return `${cells.map((cell, index) => (index === column ? value : cell)).join(',')}\n`;
    });
    return { ...answer, body: [header, ...changed] };
  });

export const csvBody = (meaning: string, path: string, body: () => Answer['body']): Behaviour =>
  at(meaning, path, () => text(200, csv, body()));

/** For a client that accepts it. */
export const compressedBody = (meaning: string, path: string, body: () => Answer['body']): Behaviour =>
  at(meaning, path, () => ({ ...text(200, csv, body()), compressible: true }));
