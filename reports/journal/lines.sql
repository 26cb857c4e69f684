-- Every line, in the order of the journal.
SELECT account, name, month, debit, credit, exact FROM journal ORDER BY line
