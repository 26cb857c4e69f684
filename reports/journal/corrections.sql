-- A row only where earlier months are corrected.
SELECT count(*) AS lines, sum(exact) AS amount FROM journal WHERE kind = 'correction' HAVING count(*) > 0
