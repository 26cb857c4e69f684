-- Names in the calls of the period that no key of the inventory has.
SELECT coalesce(token_name, '') AS name, sum(spend) AS spend
FROM cube
WHERE period = 'current' AND kind IN ('consumption', 'refund')
  AND coalesce(token_name, '') NOT IN (SELECT name FROM keys) AND EXISTS (FROM keys)
GROUP BY 1
HAVING sum(cube.spend) <> 0
ORDER BY spend DESC, name
