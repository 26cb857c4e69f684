import { noUsage, type Model, type Usage } from './models.ts';

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

export const plainRow = (kind: RowKind, createdAt: number, row: Partial<Row>): Row => ({
  createdAt,
  visibleAt: createdAt,
  kind,
  model: undefined,
  token: '',
  group: 'default',
  ...noUsage,
  grains: 0,
  useTime: 0,
  stream: false,
  content: '',
  ...row,
});

/** Consumption, refunds and errors count as use. */
export const isCall = (row: Row): boolean =>
  row.kind === 'consumption' || row.kind === 'refund' || row.kind === 'error';
