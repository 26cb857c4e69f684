-- A row only while the month is not closed.
SELECT count(*) AS lines FROM journal WHERE is_draft HAVING count(*) > 0
