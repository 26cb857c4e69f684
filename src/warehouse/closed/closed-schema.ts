import { countedClasses } from '../tokens/class-names.ts';

/*
 * What accounting has received of a month. Rows are only added. `charge` is in the currency of the month, negative for refunds;
 * `month` is YYYY-MM and `day` is YYYY-MM-DD, both in the zone of the month.
 */

const rowColumns =
  `month VARCHAR NOT NULL, day VARCHAR NOT NULL, model_name VARCHAR NOT NULL, token_name VARCHAR NOT NULL,
    service VARCHAR NOT NULL, kind VARCHAR NOT NULL` as const;

export const closedStatements = [
  // The months that are closed, with the sums of their rows. `unit` is the last unit of the amounts in the log, `reached` is where the
  // log ended (s).
  `CREATE TABLE closed_month (
    account VARCHAR NOT NULL, month VARCHAR NOT NULL, zone VARCHAR NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL,
    currency VARCHAR NOT NULL, unit DECIMAL(28, 12) NOT NULL, calls BIGINT NOT NULL, spend DECIMAL(38, 12) NOT NULL, row_count BIGINT NOT NULL,
    verdict VARCHAR NOT NULL, reached BIGINT NOT NULL, closed_at BIGINT NOT NULL, UNIQUE (account, month)
  )`,
  // The consumption and the refunds of a closed month. A class of tokens is NULL where the export states none.
  `CREATE TABLE closed_row (
    account VARCHAR NOT NULL, ${rowColumns}, calls BIGINT NOT NULL, charge DECIMAL(38, 12) NOT NULL,
    unstated_calls BIGINT NOT NULL, ${countedClasses.map((name) => `${name} BIGINT`).join(', ')}
  )`,
  // The prices of a million tokens by which the charges of a day are split. `source`: configured, or fitted to the charges of the day.
  `CREATE TABLE closed_price (
    account VARCHAR NOT NULL, month VARCHAR NOT NULL, day VARCHAR NOT NULL, model_name VARCHAR NOT NULL, class VARCHAR NOT NULL,
    price DECIMAL(28, 12) NOT NULL, source VARCHAR NOT NULL
  )`,
  // What changed in a closed month until a later one, `booked_month`, was closed: before and after.
  `CREATE TABLE closed_correction (
    account VARCHAR NOT NULL, booked_month VARCHAR NOT NULL, ${rowColumns}, old_calls BIGINT NOT NULL,
    new_calls BIGINT NOT NULL, old_charge DECIMAL(38, 12) NOT NULL, new_charge DECIMAL(38, 12) NOT NULL
  )`,
] as const;
