import { unixSeconds } from '../../../src/core/index.ts';
import type { LogQuery } from '../../../src/ingest/index.ts';

/** A call as the gateway of the test has it; amounts are written as they are. */
export type SourceRow = {
  /** Seconds UTC. */
  readonly at: number;
  readonly model: string;
  readonly token: string;
  readonly prompt: number;
  readonly quota: string;
  readonly kind?: string;
  readonly extra?: string;
};

/** How the gateway of the test writes its exports; see docs/gateway.md G6. */
export type SourceStyle = {
  readonly time: (at: number) => string;
  readonly endInclusive: boolean;
  readonly newline: '\n' | '\r\n';
  readonly bom: boolean;
  readonly title: boolean;
  readonly total: boolean;
  readonly guard: boolean;
  readonly quoteAll: boolean;
  readonly endsLines: boolean;
  readonly newestFirst: boolean;
  /** Hidden cap on the rows of one export. */
  readonly cap?: number;
  readonly names: Readonly<Record<string, string>>;
  readonly order: readonly string[];
  readonly chunk: number;
};

export const plainStyle: SourceStyle = {
  time: String,
  endInclusive: true,
  newline: '\n',
  bom: true,
  title: false,
  total: false,
  guard: false,
  quoteAll: false,
  endsLines: true,
  newestFirst: false,
  names: {},
  order: ['created_at', 'model_name', 'token_name', 'prompt_tokens', 'quota', 'type', 'note'],
  chunk: 1000,
};

/** Exact sum of decimals, by whole numbers of 1e-12. */
export const sumOf = (amounts: readonly string[]): string => {
  const scaled = (text: string): bigint => {
    const [, sign = '', whole = '', fraction = ''] = /^([+-]?)(\d*)\.?(\d*)$/.exec(text) ?? [];
    const value = BigInt(`${whole}${fraction.padEnd(12, '0')}`);
    return sign === '-' ? -value : value;
  };
  const sum = amounts.reduce((total, amount) => total + scaled(amount), 0n);
  const digits = (sum < 0n ? -sum : sum).toString().padStart(13, '0');
  const text = `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '');
  return sum < 0n ? `-${text}` : text;
};

const cellText = (text: string, style: SourceStyle): string =>
  style.quoteAll || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const valueOf = (row: SourceRow, column: string, style: SourceStyle): string => {
  const guard = (text: string): string => (style.guard && /^[=+\-@\d]/.test(text) ? `'${text}` : text);
  const formula = (text: string): string => (style.guard && /^[=+\-@]/.test(text) ? `'${text}` : text);
  if (column === 'created_at') return style.time(row.at);
  if (column === 'model_name') return formula(row.model);
  if (column === 'token_name') return formula(row.token);
  if (column === 'prompt_tokens') return guard(String(row.prompt));
  if (column === 'quota') return guard(row.quota);
  if (column === 'type') return row.kind ?? '';
  return row.extra ?? '';
};

export const csvOf = (rows: readonly SourceRow[], style: SourceStyle): string => {
  const lines = [
    ...(style.title ? ['Call log of the account'] : []),
    style.order.map((name) => cellText(style.names[name] ?? name, style)).join(','),
    ...rows.map((row) => style.order.map((name) => cellText(valueOf(row, name, style), style)).join(',')),
  ];
  if (style.total) {
    const total = sumOf(rows.map(({ quota }) => quota));
    lines.push(
      style.order
        .map((name) => (name === 'quota' ? total : name === style.order[0] ? 'Total' : ''))
        .join(','),
    );
  }
  const text = lines.join(style.newline);
  return (style.bom ? '\uFEFF' : '') + text + (style.endsLines ? style.newline : '');
};

export async function* chunksOf(text: string | Buffer, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export type LogSource = {
  readonly fetchLogs: (query: LogQuery) => Promise<{ readonly body: AsyncIterable<Uint8Array> }>;
  readonly queries: LogQuery[];
};

/** A gateway's log export over rows in memory; `spoil` may change a body on its way. */
export const logSource = (
  rows: readonly SourceRow[],
  style: Partial<SourceStyle> = {},
  spoil: (body: string, query: LogQuery, call: number) => string | Buffer = (body) => body,
): LogSource => {
  const whole = { ...plainStyle, ...style };
  const queries: LogQuery[] = [];
  return {
    queries,
    fetchLogs: async (query) => {
      queries.push(query);
      const inRange = rows.filter(
        ({ at }) => at >= query.start && (whole.endInclusive ? at <= query.end : at < query.end),
      );
      const ordered = inRange.toSorted((left, right) =>
        whole.newestFirst ? right.at - left.at : left.at - right.at,
      );
      const served = whole.cap === undefined ? ordered : ordered.slice(0, whole.cap);
      return { body: chunksOf(spoil(csvOf(served, whole), query, queries.length), whole.chunk) };
    },
  };
};

export const seconds = unixSeconds;
