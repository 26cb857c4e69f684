-- Eight weeks that end with the period.
SELECT day, coalesce(token_name, '') AS token_name, sum(spend) AS spend
FROM cube
WHERE period = 'history' AND kind IN ('consumption', 'refund')
GROUP BY ALL
ORDER BY day, token_name
