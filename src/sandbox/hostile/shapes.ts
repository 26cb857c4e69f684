import type { Answer } from '../answer-shape.ts';
import type { Request } from '../request.ts';

/** Makes the answer of a hostile or broken gateway from the regular one; outside the contract. */
export type Behaviour = (answer: Answer, request: Request) => Answer;

export const json = 'application/json; charset=utf-8';
export const csv = 'text/csv; charset=utf-8';
export const kilobyte = 1024;

export const logPath = '/api/log/self/stream-export';
export const usagePath = '/api/data/self/pivot/stream-export';
export const keysPath = '/api/token/';
export const profilePath = '/api/user/self';
export const statisticsPath = '/api/log/self/stat';

export function* endless(piece: string, first = ''): Generator<string, void> {
  if (first !== '') yield first;
  for (;;) yield piece;
}

export const text = (status: number, type: string, body: Answer['body'], headers = {}): Answer => ({
  status,
  headers: { 'content-type': type, ...headers },
  body,
});

export const at =
  (path: string, change: Behaviour): Behaviour =>
  (answer, request) =>
    request.path === path ||
    (path === keysPath && request.path.startsWith(keysPath) && request.method === 'GET')
      ? change(answer, request)
      : answer;

export const everywhere = (make: () => Answer): Behaviour => make;

export const data = (value: string): Answer =>
  text(200, json, `{"success":true,"message":"","data":${value}}`);

type Fields = Record<string, unknown>;

/** Changes fields of the first key of a list, of all keys, or of the key that was read; values are JSON text. */
export const withFields = (fields: Readonly<Record<string, string>>, all = false): Behaviour =>
  at(keysPath, (answer) => {
    if (typeof answer.body !== 'string' || answer.status !== 200) return answer;
    const envelope = JSON.parse(answer.body) as { data?: (Fields & { items?: Fields[] }) | null };
    const keys = envelope.data?.items ?? (envelope.data ? [envelope.data] : []);
    for (const one of all ? keys : keys.slice(0, 1))
      for (const name of Object.keys(fields)) one[name] = `@@${name}@@`;
    return {
      ...answer,
      body: Object.entries(fields).reduce(
        (text, [name, value]) => text.replaceAll(`"@@${name}@@"`, () => value),
        JSON.stringify(envelope),
      ),
    };
  });

export const key = (id: number, name: string): string =>
  `{"id":${id},"name":${JSON.stringify(name)},"status":1,"remain_quota":"1","unlimited_quota":false,"expired_time":-1}`;

export const page = (items: readonly string[], total: number): Answer =>
  data(`{"items":[${items.join(',')}],"page":1,"page_size":100,"total":${total}}`);

export const numbered = (from: number, count: number, name: (id: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, index) => key(from + index, name(from + index)));

export const pageOf = (request: Request): number => Number(request.query.get('p') ?? '1');

const rowsOf = ({ body }: Answer): readonly string[] => {
  if (body instanceof Uint8Array) return [];
  return typeof body === 'string' ? [body] : [...body];
};

const withCells = (
  path: string,
  change: (cells: string[], header: readonly string[]) => string[],
): Behaviour =>
  at(path, (answer) => {
    const [header = '', ...rows] = rowsOf(answer);
    const names = header.replace('\uFEFF', '').trim().split(',');
    return {
      ...answer,
      body: [header, ...rows.map((row) => `${change(row.trim().split(','), names).join(',')}\n`)],
    };
  });

export const withCell = (path: string, name: string, value: string): Behaviour =>
  withCells(path, (cells, names) => cells.map((cell, index) => (names[index] === name ? value : cell)));

export const csvBody = (path: string, body: () => Answer['body'], compressible = false): Behaviour =>
  at(path, () => ({ ...text(200, csv, body()), compressible }));
