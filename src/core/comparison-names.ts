/**
 * What a report compares its period with. `previous`: the period directly before. For periods of one day:
 * `same-weekday`, the day a week before, and `7-day-average`, the average of the seven days before.
 */
export const comparisonNames = [
  'previous',
  'same-weekday',
  '7-day-average',
  'same-days-last-month',
  'same-days-last-year',
  'none',
] as const;

export type ComparisonName = (typeof comparisonNames)[number];
