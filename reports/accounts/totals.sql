-- Unknown as soon as one account is: a part of the sum would pass for the whole.
SELECT
  CASE WHEN count(converted) = count(*) THEN sum(converted) END AS spend,
  CASE WHEN count(converted_before) = count(*) THEN sum(converted_before) END AS spend_before
FROM accounts
