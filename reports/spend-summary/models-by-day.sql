SELECT day, coalesce(model_name, '') AS model_name, sum(spend) AS spend
FROM cube
WHERE period = 'current' AND kind IN ('consumption', 'refund')
GROUP BY ALL
ORDER BY day, model_name
