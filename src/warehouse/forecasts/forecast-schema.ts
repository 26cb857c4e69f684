export const forecastStatements = [
  // What is known of a part of an account to forecast the end of its months, as JSON of the module that forecasts. `scope` is its text
  // ("team search"), `anchor_day` the day on which its months begin, in `zone`.
  `CREATE TABLE forecast_kept (
    account VARCHAR NOT NULL, scope VARCHAR NOT NULL, zone VARCHAR NOT NULL, anchor_day BIGINT NOT NULL,
    content VARCHAR NOT NULL, kept_at BIGINT NOT NULL, UNIQUE (account, scope, zone, anchor_day)
  )`,
  // The first forecast of each day that an evaluation made. `month` is the first day of the month; `day` counts its days that were over.
  `CREATE TABLE forecast_issued (
    account VARCHAR NOT NULL, scope VARCHAR NOT NULL, zone VARCHAR NOT NULL, anchor_day BIGINT NOT NULL,
    month VARCHAR NOT NULL, day BIGINT NOT NULL, method VARCHAR NOT NULL, amount DECIMAL(38, 12) NOT NULL,
    low DECIMAL(38, 12) NOT NULL, high DECIMAL(38, 12) NOT NULL, issued_at BIGINT NOT NULL,
    UNIQUE (account, scope, zone, anchor_day, month, day)
  )`,
  // Days that are known to be unusual; both ends are included, `2026-11-27`.
  `CREATE TABLE expected_days (
    account VARCHAR NOT NULL, first_day VARCHAR NOT NULL, last_day VARCHAR NOT NULL, reason VARCHAR NOT NULL,
    added_by VARCHAR NOT NULL, added_at BIGINT NOT NULL, UNIQUE (account, first_day, last_day)
  )`,
] as const;
