-- A row for each model and service, with the usage of the period and of the comparison: the causes of the change are
-- computed from these.
-- NULL in place of 0: most classes of tokens of most rows are 0, and thousands of rows are read.
SELECT model_name, service AS key_name, nullif(COLUMNS(* EXCLUDE (model_name, service)), 0) FROM changed_usage
