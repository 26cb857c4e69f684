-- Rotations of keys that ended in the period, the newest first.
SELECT rotations.service, rotations.outcome, rotations.ended_seconds
FROM rotations
WHERE ended_seconds >= (SELECT min(start_seconds) FROM days WHERE period = 'current')
  AND ended_seconds < (SELECT max(end_seconds) FROM days WHERE period = 'current')
ORDER BY rotations.ended_seconds DESC, rotations.service
