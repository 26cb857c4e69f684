-- Names in the calls of the period that no key of the inventory has; of keys that were rotated with their service.
SELECT coalesce(token_name, '') AS name, CASE WHEN any_value(service) <> coalesce(token_name, '') THEN any_value(service) END AS service, sum(spend) AS spend
FROM cube
WHERE period = 'current' AND kind IN ('consumption', 'refund')
  AND coalesce(token_name, '') NOT IN (SELECT name FROM keys) AND EXISTS (FROM keys)
GROUP BY token_name
HAVING sum(cube.spend) <> 0
ORDER BY spend DESC, name
