import { localDays, money, sumMoney, type LocalDate, type UnixSeconds } from '../../src/core/index.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { Warehouse } from '../../src/warehouse/index.ts';

/** How many rows there are, and the sum of their amounts, of a quarter hour, by its start in seconds UTC. */
export type Quarters = ReadonlyMap<number, readonly [rows: number, amount: string]>;

/** What the warehouse holds of an account, from the first day on and wherever it ends. */
export const heldQuarters = async (
  warehouse: Warehouse,
  account: string,
  first: LocalDate,
  last: LocalDate,
): Promise<Quarters> => {
  const periods = [{ name: 'current' as const, days: localDays(first, last, 'UTC') }];
  // The clock of the tests ends shorter limits at once.
  const table = await warehouse.readCube({ account, periods, timeLimit: 3_600_000_000 }, async (query) =>
    query('SELECT quarter, sum(rows)::BIGINT, sum(amount) FROM cube GROUP BY quarter ORDER BY quarter'),
  );
  return new Map(
    table.rows.map(([quarter, rows, amount]) => [
      Number(quarter),
      [Number(rows), money(String(amount))] as const,
    ]),
  );
};

/** What the gateway holds by now. */
export const trueQuarters = (sandbox: Sandbox, start: UnixSeconds, end: UnixSeconds): Quarters => {
  const found = new Map<number, { rows: number; amounts: string[] }>();
  for (const row of sandbox.truth.rows(start, end)) {
    const quarter = row.createdAt - (row.createdAt % 900);
    const known = found.get(quarter) ?? { rows: 0, amounts: [] };
    known.rows += 1;
    known.amounts.push(row.quota);
    found.set(quarter, known);
  }
  return new Map(
    [...found].map(([quarter, { rows, amounts }]) => [
      quarter,
      [rows, sumMoney(amounts.map((amount) => money(amount)))],
    ]),
  );
};
