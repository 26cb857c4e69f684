import type { Model, Usage } from './models.ts';

export type RowKind = 'topup' | 'consumption' | 'management' | 'system' | 'error' | 'refund';

export type Row = Usage & {
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix seconds; later than createdAt for late rows. */
  readonly visibleAt: number;
  readonly kind: RowKind;
  readonly model: Model | undefined;
  /** Key name; empty on rows without a key and on refunds of tasks. */
  readonly token: string;
  readonly group: string;
  /** Grains (0.00000001 USD) that the row adds to the spend, or for a top-up to the balance. Refunds are negative. */
  readonly grains: number;
  readonly useTime: number;
  readonly stream: boolean;
  readonly content: string;
  readonly live?: true;
};

/** Fields by name: spread over others, they take V8 ten times as long, and an account has many rows. */
export const plainRow = (
  kind: RowKind,
  createdAt: number,
  row: Partial<Row>,
  usage: Partial<Usage> = row,
): Row => ({
  createdAt,
  visibleAt: row.visibleAt ?? createdAt,
  kind,
  model: row.model,
  token: row.token ?? '',
  group: row.group ?? 'default',
  text: usage.text ?? 0,
  cached: usage.cached ?? 0,
  cacheWrite: usage.cacheWrite ?? 0,
  audioInput: usage.audioInput ?? 0,
  imageInput: usage.imageInput ?? 0,
  completion: usage.completion ?? 0,
  reasoning: usage.reasoning ?? 0,
  audioOutput: usage.audioOutput ?? 0,
  grains: row.grains ?? 0,
  useTime: row.useTime ?? 0,
  stream: row.stream ?? false,
  content: row.content ?? '',
  ...(row.live === true ? { live: true } : {}),
});

/** Consumption, refunds and errors count as use. */
export const isCall = (row: Row): boolean =>
  row.kind === 'consumption' || row.kind === 'refund' || row.kind === 'error';
