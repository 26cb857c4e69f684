-- A row for each team of the config, the dearest first, and one for what none of them pays for.
SELECT
  coalesce(cube.team, '') AS team,
  coalesce(sum(spend) FILTER (period = 'current'), 0) AS spend,
  coalesce(sum(spend) FILTER (period = 'comparison'), 0) AS spend_before
FROM cube
WHERE kind IN ('consumption', 'refund') AND period IN ('current', 'comparison')
  AND (SELECT run.team IS NULL FROM run) AND (SELECT count(*) > 0 FROM teams)
GROUP BY 1
HAVING count(*) FILTER (period = 'current') > 0 OR sum(cube.spend) <> 0
ORDER BY spend DESC, spend_before DESC, 1
