/** The time format of JSON: ISO 8601 in UTC, with milliseconds. */
export const iso = (moment: number): string => new Date(moment).toISOString();

/** JSON omits an undefined time. */
export const isoOr = (moment: number | undefined): string | undefined =>
  moment === undefined ? undefined : iso(moment);

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
