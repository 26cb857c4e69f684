import { createHash } from 'node:crypto';

const zones = [
  'UTC',
  'Europe/Berlin',
  'Europe/London',
  'Europe/Lisbon',
  'Europe/Helsinki',
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
  'America/Sao_Paulo',
  'America/Santiago',
  'America/St_Johns',
  'Africa/Casablanca',
  'Africa/Johannesburg',
  'Asia/Dubai',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Shanghai',
  'Asia/Tokyo',
  'Australia/Sydney',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Pacific/Apia',
  'Pacific/Chatham',
];

/** A number from 0 up to `below` that is always the same for the same words. */
const pick = (below: number, ...columns: readonly (string | number)[]): number =>
  createHash('sha256').update(columns.join(' ')).digest().readUInt32BE() % below;

const hourIn = (zone: string, at: number): number =>
  Number(new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit' }).format(at));

/** Weekdays, months and days as people set them; `which` 0 to 9. */
const daysOf = (which: number, job: number): string => {
  if (which < 4) return '* * *';
  if (which < 6) return '* * 1-5';
  if (which < 8) return `* * ${pick(7, 'weekday', job)}`;
  return which === 8 ? `${1 + pick(28, 'day', job)} * *` : '1 1,4,7,10 *';
};

const kindOf = (job: number): string => {
  const since = 'since: 2026-01-01';
  const which = pick(10, 'kind', job);
  if (which < 4) return `kind: pull-logs, ${since}, lag: 10m, retries: { limit: 5, initial: 1m, max: 15m }`;
  if (which < 6) return `kind: pull-usage, ${since}, group_by: [model, token], randomized_delay: 20m`;
  const needs = pick(2, 'needs', job) === 0 ? '' : ', needs: [pull], needs_deadline: 3h';
  return `kind: report, report: spend-summary, period: yesterday${needs}, mail: { to: [team-${job}@example.com] }`;
};

const line = (job: number, schedule: string, zone: string): string =>
  `  job-${job}: { schedule: "${schedule}", timezone: ${zone}, ${kindOf(job)} }`;

const file = (lines: readonly string[]): string =>
  `jobs:\n  pull: { kind: pull-logs, since: 2026-01-01 }\n${lines.join('\n')}\n`;

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Jobs as a large installation has them, in many zones, none of which is due within three hours of `at`. */
export const defaultJobs = (count: number, at: number): string =>
  file(
    numbers(count).map((job) => {
      const zone = zones[pick(zones.length, 'zone', job)] ?? 'UTC';
      const hour = (hourIn(zone, at) + 4 + pick(16, 'hour', job)) % 24;
      return line(job, `${5 * pick(12, 'minute', job)} ${hour} ${daysOf(pick(10, 'days', job), job)}`, zone);
    }),
  );

/** As `usualJobs`, but no two expressions are the same. */
export const distinctJobs = (count: number, at: number): string =>
  file(
    numbers(count).map((job) => {
      const zone = zones[job % zones.length] ?? 'UTC';
      const hour = (hourIn(zone, at) + 4 + (job % 16)) % 24;
      const minute = Math.floor(job / 16) % 60;
      return line(
        job,
        `${Math.floor(job / 960)} ${minute} ${hour} ${daysOf(pick(6, 'days', job), job)}`,
        zone,
      );
    }),
  );

/** Jobs that are all due at `at` and have nothing to do. */
export const jobsDueAt = (count: number, at: number): string => {
  const due = new Date(at);
  const schedule = `${due.getUTCSeconds()} ${due.getUTCMinutes()} ${due.getUTCHours()} ${due.getUTCDate()} ${due.getUTCMonth() + 1} *`;
  return `jobs:\n${numbers(count)
    .map((job) => `  job-${job}: { kind: pull-logs, since: 2999-01-01, schedule: "${schedule}" }`)
    .join('\n')}\n`;
};
