-- One row: what the lines add up to, without the one that balances them.
SELECT coalesce(sum(coalesce(debit, 0) - coalesce(credit, 0)), 0) AS posted
FROM journal
WHERE kind <> 'balance'
