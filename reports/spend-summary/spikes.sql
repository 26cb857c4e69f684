-- A row for each model and service, each model and each service that on one day of the comparison spent over three times its
-- median day: when that is over, spend falls. `excess` is what the day cost beyond the median day. An empty name stands for all.
SELECT model_name, service AS key_name, day, spend - usual AS excess
FROM unusual_days
WHERE period = 'comparison' AND spend > 3 * usual AND (model_name <> '' OR service <> '')
ORDER BY model_name <> '' AND service <> '' DESC, excess DESC, model_name, key_name
