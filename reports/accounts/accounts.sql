-- A row for each account, the largest first. Shares are those of the whole, so there are none while a part of it is unknown.
SELECT
  CASE WHEN count(converted) OVER () = count(*) OVER () THEN converted END AS part,
  account, converted, converted_before, verdict, data_through_seconds,
  spend, currency, rate, rate_from
FROM accounts
ORDER BY converted DESC NULLS LAST, account
