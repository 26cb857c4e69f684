-- A row for each cost center, the dearest first, and one for keys without this tag; none where no key has it.
SELECT
  coalesce(cost_center, '') AS cost_center,
  coalesce(sum(spend) FILTER (period = 'current'), 0) AS spend,
  coalesce(sum(spend) FILTER (period = 'comparison'), 0) AS spend_before
FROM cube
WHERE kind IN ('consumption', 'refund') AND period IN ('current', 'comparison')
  AND EXISTS (SELECT 1 FROM cube WHERE cost_center IS NOT NULL AND period IN ('current', 'comparison'))
GROUP BY 1
HAVING count(*) FILTER (period = 'current') > 0 OR sum(cube.spend) <> 0
ORDER BY spend DESC, spend_before DESC, 1
