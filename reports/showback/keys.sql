-- A row for each service, a key through all its rotations, the dearest first; those of the period before are there too,
-- or the changes would not add up. Refunds that name no key are a row of their own.
SELECT
  coalesce(service, '') AS service,
  kind = 'refund' AND coalesce(service, '') = '' AS is_keyless_refund,
  coalesce(sum(calls) FILTER (period = 'current' AND kind = 'consumption'), 0) AS calls,
  coalesce(sum(spend) FILTER (period = 'current'), 0) AS spend,
  coalesce(sum(spend) FILTER (period = 'comparison'), 0) AS spend_before
FROM cube
WHERE kind IN ('consumption', 'refund') AND period IN ('current', 'comparison')
GROUP BY 1, 2
HAVING count(*) FILTER (period = 'current') > 0 OR sum(cube.spend) <> 0
ORDER BY spend DESC, spend_before DESC, 1, 2
