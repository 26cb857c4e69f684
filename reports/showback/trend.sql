-- Eight weeks that end with the period.
SELECT day, coalesce(service, '') AS service, sum(spend) AS spend
FROM cube
WHERE period = 'history' AND kind IN ('consumption', 'refund')
GROUP BY ALL
ORDER BY day, service
