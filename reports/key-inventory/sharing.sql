SELECT name, key_mask, now_seconds - coalesce(created_seconds, first_seen_seconds) AS age, expires_seconds
FROM keys, run
WHERE same_name > 1
ORDER BY same_name DESC, name, age, key_id
