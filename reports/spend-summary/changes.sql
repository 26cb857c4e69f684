-- A row for each model and service, with the usage of the period and of the comparison: the causes of the change are
-- computed from these.
SELECT * RENAME (service AS key_name) FROM changed_usage
