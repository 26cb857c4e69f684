-- The next to expire first.
SELECT name, expires_seconds, expires_seconds - now_seconds AS time_left, last_call_seconds
FROM keys, run
WHERE expires_seconds > now_seconds AND expires_seconds <= now_seconds + 30 * 86400
ORDER BY expires_seconds, name, key_id
