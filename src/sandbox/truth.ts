import { moneyText, type MoneyUnit } from './decimal.ts';
import type { State } from './state.ts';
import type { Usage } from './traffic/models.ts';
import { isCall, type RowKind } from './traffic/row.ts';

export type TruthRow = Usage & {
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix seconds from which the row is visible. */
  readonly visibleAt: number;
  readonly kind: RowKind;
  readonly model: string;
  readonly token: string;
  readonly vendorId: number;
  /** Exact decimal text. */
  readonly quota: string;
};

/** Exact decimal texts in the requested unit. */
export type TruthSums = {
  readonly rows: number;
  /** Sum of the quota column over every row, including top-ups. */
  readonly quota: string;
  readonly calls: number;
  readonly consumption: string;
  /** Negative or 0. */
  readonly refunds: string;
  /** Consumption minus refunds. */
  readonly net: string;
  readonly topups: string;
  /** Net by model name and by key name. */
  readonly byModel: Readonly<Record<string, string>>;
  readonly byKey: Readonly<Record<string, string>>;
};

type View = {
  /** Unix seconds; defaults to now. */
  readonly asOf?: number;
  /** Defaults to USD. */
  readonly unit?: MoneyUnit;
};

/** The actual data of the account, read from the rows without endpoints and caches. */
export type Truth = {
  /** Visible rows with start <= createdAt < end (Unix seconds), oldest first. */
  rows(start: number, end: number, view?: View): TruthRow[];
  sums(start: number, end: number, view?: View): TruthSums;
};

export const createTruth = (state: State): Truth => ({
  rows(start, end, { asOf = state.seconds(), unit = 'USD' } = {}) {
    const found = [...state.ledger.rows({ start, end }, asOf)];
    return found.map((row) => ({
      createdAt: row.createdAt,
      visibleAt: row.visibleAt,
      kind: row.kind,
      model: row.model?.name ?? '',
      token: row.token,
      vendorId: row.model?.vendorId ?? 0,
      text: row.text,
      cached: row.cached,
      cacheWrite: row.cacheWrite,
      audioInput: row.audioInput,
      imageInput: row.imageInput,
      completion: row.completion,
      reasoning: row.reasoning,
      audioOutput: row.audioOutput,
      quota: moneyText(BigInt(row.grains), unit),
    }));
  },
  sums(start, end, { asOf = state.seconds(), unit = 'USD' } = {}) {
    const sums = { consumption: 0n, refund: 0n, topup: 0n, error: 0n, management: 0n, system: 0n };
    const byModel = new Map<string, bigint>();
    const byKey = new Map<string, bigint>();
    let rows = 0;
    let calls = 0;
    let quota = 0n;
    for (const row of state.ledger.rows({ start, end }, asOf)) {
      const grains = BigInt(row.grains);
      rows += 1;
      quota += grains;
      sums[row.kind] += grains;
      if (row.kind === 'consumption') calls += 1;
      if (!isCall(row)) continue;
      const model = row.model?.name ?? '';
      byModel.set(model, (byModel.get(model) ?? 0n) + grains);
      byKey.set(row.token, (byKey.get(row.token) ?? 0n) + grains);
    }
    const text = (grains: bigint): string => moneyText(grains, unit);
    const texts = (map: Map<string, bigint>): Record<string, string> =>
      Object.fromEntries([...map].map(([name, grains]) => [name, text(grains)]));
    return {
      rows,
      calls,
      quota: text(quota),
      consumption: text(sums.consumption),
      refunds: text(sums.refund),
      net: text(sums.consumption + sums.refund),
      topups: text(sums.topup),
      byModel: texts(byModel),
      byKey: texts(byKey),
    };
  },
});
