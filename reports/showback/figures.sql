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
    months.spend * CAST(pace_days AS DECIMAL(2, 0)) + pace * CAST(days_left AS DECIMAL(2, 0)) AS forecast,
    budget * CAST(pace_days AS DECIMAL(2, 0)) AS budget
  FROM months, means
),
used AS (
  SELECT
    sum(prompt_tokens) FILTER (period = 'current') + sum(completion_tokens) FILTER (period = 'current') AS tokens,
    sum(prompt_tokens) FILTER (period = 'comparison')
      + sum(completion_tokens) FILTER (period = 'comparison') AS tokens_before
  FROM cube
  WHERE kind = 'consumption'
),
charged AS (
  SELECT sum(spend) FILTER (period = 'current') AS spend, sum(spend) FILTER (period = 'comparison') AS spend_before
  FROM cube
  WHERE kind IN ('consumption', 'refund')
)
SELECT
  means.spend AS mean_spend, means.days AS mean_days,
  means.most, means.most_day,
  CASE WHEN NOT months.is_period THEN months.spend END AS month_spend,
  months.known_spend, months.known_days, month_elapsed, month_days,
  heading.forecast, heading.pace_days, months.budget,
  heading.budget AS forecast_budget,
  CASE WHEN heading.forecast > heading.budget THEN 1 ELSE 0 END AS over_forecast,
  CASE WHEN days_left = 0 THEN months.spend END AS final_spend,
  CASE WHEN months.spend > months.budget THEN 1 ELSE 0 END AS over_budget,
  charged.spend, charged.spend_before, used.tokens, used.tokens_before
FROM means, months, heading, used, charged
