-- Accounts because of which the total is unknown, or can still change.
WITH bounds AS (
  SELECT max(end_seconds) AS last_second FROM days WHERE period = 'current'
),
looked AS (
  SELECT 'no-data' AS what, account, currency, data_through_seconds AS through, 0 AS rank
  FROM accounts
  WHERE spend IS NULL
  UNION ALL
  SELECT 'no-rate', account, currency, data_through_seconds, 1
  FROM accounts
  WHERE spend IS NOT NULL AND rate IS NULL
  UNION ALL
  SELECT 'behind', account, currency, data_through_seconds, 2
  FROM accounts, bounds
  WHERE spend IS NOT NULL AND data_through_seconds < last_second
)
SELECT what, account, currency, through FROM looked ORDER BY rank, account
