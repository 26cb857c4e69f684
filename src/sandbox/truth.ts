import { moneyText, type MoneyUnit } from './decimal.ts';
import type { State } from './state.ts';
import { noUsage, type Usage } from './traffic/models.ts';
import { isCall, type Row } from './traffic/row.ts';

type View = {
  /** Unix seconds; defaults to now. */
  readonly asOf?: number;
  /** Defaults to USD. */
  readonly unit?: MoneyUnit;
};

const usageOf = (row: Row): Usage => {
  const names = Object.keys(noUsage) as readonly (keyof Usage)[];
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Usage;
};

/** The actual data of the account, read from the rows without endpoints and caches. */
export const createTruth = (state: State) => ({
  /** Visible rows with start <= createdAt < end (Unix seconds), oldest first. */
  rows(start: number, end: number, { asOf = state.seconds(), unit = 'USD' }: View = {}) {
    return [...state.ledger.rows({ start, end }, asOf)].map((row) => ({
      createdAt: row.createdAt,
      visibleAt: row.visibleAt,
      kind: row.kind,
      model: row.model?.name ?? '',
      token: row.token,
      vendorId: row.model?.vendorId ?? 0,
      ...usageOf(row),
      /** Exact decimal text. */
      quota: moneyText(BigInt(row.grains), unit),
    }));
  },
  /** Exact decimal texts in the requested unit. */
  sums(start: number, end: number, { asOf = state.seconds(), unit = 'USD' }: View = {}) {
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
      /** Sum of the quota column over every row, including top-ups. */
      quota: text(quota),
      consumption: text(sums.consumption),
      /** Negative or 0. */
      refunds: text(sums.refund),
      /** Consumption minus refunds. */
      net: text(sums.consumption + sums.refund),
      topups: text(sums.topup),
      /** Net by model name and by key name. */
      byModel: texts(byModel),
      byKey: texts(byKey),
    };
  },
});

export type Truth = ReturnType<typeof createTruth>;
export type TruthRow = ReturnType<Truth['rows']>[number];
