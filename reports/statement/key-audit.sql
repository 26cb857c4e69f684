-- The head of the audit file of API keys; a text is cut where it is longer than a name may be, so the hash comes in two parts.
SELECT steps, substr(head, 1, 32) AS head, substr(head, 33) AS rest, taken_seconds FROM key_audit
