-- One row: the mean day, the month so far, where it heads against the budget, and money for a million tokens.
-- Means are made of days that the data covers as a whole; of a month that misses days only the sum of the others is told.
WITH span AS (
  SELECT min(day) AS first_day, max(day) AS last_day FROM days WHERE period = 'current'
),
known AS (
  SELECT days.period, days.day, coalesce(sum(cube.spend), 0) AS spend
  FROM days
  JOIN run ON days.start_seconds >= run.data_since_seconds AND days.end_seconds <= run.data_through_seconds
  LEFT JOIN cube ON cube.period = days.period AND cube.day = days.day AND cube.kind IN ('consumption', 'refund')
  GROUP BY ALL
),
means AS (
  SELECT
    sum(spend) FILTER (period = 'current') AS spend,
    count(*) FILTER (period = 'current') AS days,
    max(spend) FILTER (period = 'current') AS most,
    arg_max(day, spend) FILTER (period = 'current') AS most_day,
    sum(spend) FILTER (period = 'history' AND day > last_day - 14) AS pace,
    count(*) FILTER (period = 'history' AND day > last_day - 14) AS pace_days,
    -- Where the data begins within the days that the pace is of.
    nullif(min(day) FILTER (period = 'history' AND day > last_day - 14), any_value(last_day) - 13) AS pace_since,
    sum(spend) FILTER (period = 'month') AS month,
    count(*) FILTER (period = 'month') AS month_known
  FROM known, span
),
-- A team has its own budget, the account that of the account, and what no team pays for none.
budget AS (
  SELECT sum(budgets.month) AS month FROM budgets, run WHERE budgets.team IS NOT DISTINCT FROM run.team
),
months AS (
  SELECT
    month_days, month_elapsed,
    CASE WHEN month_known = month_elapsed THEN means.month END AS spend,
    CASE WHEN month_known BETWEEN 1 AND month_elapsed - 1 THEN means.month END AS known_spend,
    month_known AS known_days,
    month_days - month_elapsed AS days_left,
    budget.month AS budget,
    first_day = date_trunc('month', last_day) AND month_days = month_elapsed AS is_period
  FROM run, means, budget, span
),
heading AS (
  SELECT
    CASE WHEN days_left > 0 THEN CAST(pace_days AS DECIMAL(2, 0)) END AS pace_days,
    CASE WHEN forecast.amount IS NULL THEN CAST(pace_days AS DECIMAL(2, 0)) END AS rate_days,
    -- By what past months show, else at the rate of the last days.
    coalesce(
      forecast.amount * CAST(pace_days AS DECIMAL(2, 0)),
      months.spend * CAST(pace_days AS DECIMAL(2, 0)) + pace * CAST(days_left AS DECIMAL(2, 0))
    ) AS forecast,
    forecast.mean_error, forecast.most_error, forecast.error_months,
    budget * CAST(pace_days AS DECIMAL(2, 0)) AS budget
  FROM months, means LEFT JOIN forecast ON true
),
-- Models by what is known of their tokens. Where stated cached or reasoning tokens could not be placed in a class, or one
-- side is not stated, the count is unknown, and the model is in no rate. Rates are of calls whose tokens the export states.
by_model AS (
  SELECT
    period, model_name, sum(spend) AS whole_spend,
    coalesce(sum(spend) FILTER (is_stated), 0) AS spend,
    sum(input_tokens) FILTER (kind = 'consumption' AND is_stated) AS input,
    sum(output_tokens) FILTER (kind = 'consumption' AND is_stated) AS output,
    coalesce(
      sum(cached_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound')
        > coalesce(sum(input_cache_read_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound'), 0)
      OR sum(cache_write_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound')
        > coalesce(sum(input_cache_write_tokens) FILTER (kind = 'consumption' AND input_counts <> 'lower bound'), 0),
      false
    ) AS open_input,
    coalesce(
      sum(reasoning_tokens) FILTER (kind = 'consumption' AND output_counts <> 'lower bound')
        > coalesce(sum(output_reasoning_tokens) FILTER (kind = 'consumption' AND output_counts <> 'lower bound'), 0),
      false
    ) AS open_output,
    open_input OR open_output OR (input IS NULL) <> (output IS NULL)
      OR bool_or(NOT is_stated) AND coalesce(input + output, 0) = 0 AS is_open
  FROM (
    SELECT *, input_counts <> 'lower bound' AND output_counts <> 'lower bound' AS is_stated
    FROM cube
    WHERE kind IN ('consumption', 'refund') AND period IN ('current', 'comparison')
  )
  GROUP BY period, model_name
),
priced AS (
  SELECT
    sum(spend) FILTER (NOT is_open AND input + output > 0) AS spend,
    sum(input + output) FILTER (NOT is_open AND input + output > 0) AS tokens,
    nullif(greatest(sum(spend) FILTER (NOT is_open AND coalesce(input + output, 0) = 0), 0), 0) AS spend_without_tokens,
    -- Models with refunds and no calls.
    nullif(greatest(-sum(spend) FILTER (NOT is_open AND coalesce(input + output, 0) = 0), 0), 0) AS refunds_without_tokens,
    nullif(sum(CASE WHEN is_open THEN whole_spend ELSE whole_spend - spend END), 0) AS open_spend,
    nullif(count(*) FILTER (open_input OR open_output), 0) AS open_models,
    period
  FROM by_model
  GROUP BY period
),
used AS (
  SELECT
    any_value(spend) FILTER (period = 'current') AS token_spend,
    any_value(spend) FILTER (period = 'comparison') AS token_spend_before,
    any_value(tokens) FILTER (period = 'current') AS tokens,
    any_value(tokens) FILTER (period = 'comparison') AS tokens_before,
    any_value(spend_without_tokens) FILTER (period = 'current') AS spend_without_tokens,
    any_value(refunds_without_tokens) FILTER (period = 'current') AS refunds_without_tokens,
    any_value(open_spend) FILTER (period = 'current') AS open_spend,
    any_value(open_models) FILTER (period = 'current') AS open_models
  FROM priced
)
SELECT
  means.spend AS mean_spend, means.days AS mean_days,
  means.most, means.most_day,
  CASE WHEN NOT months.is_period THEN months.spend END AS month_spend,
  months.known_spend, months.known_days, month_elapsed, month_days,
  heading.forecast, heading.pace_days, heading.rate_days, means.pace_since, months.budget,
  heading.mean_error, heading.most_error, heading.error_months,
  heading.budget AS forecast_budget,
  CASE WHEN heading.forecast > heading.budget THEN 1 ELSE 0 END AS over_forecast,
  CASE WHEN days_left = 0 THEN months.spend END AS final_spend,
  CASE WHEN months.spend > months.budget THEN 1 ELSE 0 END AS over_budget,
  used.*
FROM means, months, heading, used
