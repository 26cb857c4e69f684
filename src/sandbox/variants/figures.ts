import type { Range } from '../admin/range.ts';
import { dateText, localDay, naiveText, rfc3339Text } from '../time-zone.ts';
import type { Cell } from '../traffic/cells.ts';
import { rangeEnds, zones } from './log.ts';
import { point } from './point.ts';
import { layouts } from './usage-layouts.ts';

/** What is spent in a cell, with and without its refunds. */
const spends = {
  included: ({ consumption, refunds }: Cell) => consumption + refunds,
  excluded: ({ consumption }: Cell) => consumption,
} as const;

/** What the contract leaves open about statistics and the profile (docs/gateway.md G4, G5). */
export const statisticsPoints = {
  statistics_range_end: point(
    'G5.6',
    rangeEnds,
  )('Whether end_timestamp belongs to the range of the statistics.'),
  statistics_refunds: point(
    'G5.3',
    spends,
  )('quota of the statistics: refunds are taken off, or consumption only.'),
  statistics_unit: point('G5.3', ['USD', 'CNY', 'units'])(
    'Currency or unit of quota and mpm in the statistics.',
  ),
  statistics_name_filter: point('G5.5', {
    exact: (name: string, asked: string) => name === asked,
    contains: (name: string, asked: string) => name.toLowerCase().includes(asked.toLowerCase()),
  })('token_name of the statistics: the whole name, or any part of it in any case.'),
  throughput: point('G5.4', {
    'last-minute': (_: Range, asOf: number): Range => ({ start: asOf - 59, end: asOf + 1 }),
    range: (asked: Range): Range => asked,
  })('rpm, tpm and mpm: of the last 60 seconds for any range, or the mean a minute of the range.'),
  profile_currency: point('G4.3', ['USD', 'CNY'])('Currency of balance and used_quota in the profile.'),
};

/** What it leaves open about the usage export (docs/gateway.md G7). */
export const usagePoints = {
  usage_unit: point('G7.9', ['USD', 'CNY', 'units'])('Currency or unit of spend in the usage export.'),
  usage_refunds: point(
    'G7.9',
    spends,
  )('spend of the usage export: refunds are taken off, or consumption only.'),
  usage_written: point('G7.11', { 'at-once': 1, 'every-5-minutes': 300 })(
    'The usage buckets hold every visible row, or those of the last full five minutes.',
  ),
  usage_range_end: point(
    'G7.10',
    rangeEnds,
  )('Whether the hour bucket starting at end_timestamp belongs to the usage export.'),
  usage_span: point('G7.3', { '184-days': 184, '30-days': 30 })('The longest span the usage export answers.'),
  usage_layout: point('G7.5', layouts)('One row a time and entry, one row a time, or one row an entry.'),
  usage_header: point('G7.5', {
    generic: () => ['dimension', 'value'] as const,
    named: (dimension: string, metric: string) => [dimension, metric] as const,
  })('Headers of the usage export: time,dimension,value, or the names of group_by and metric.'),
  usage_time: point('G7.5', {
    ms: (start: number) => String(start * 1000),
    s: (start: number) => String(start),
    date: (start: number, zone: string, isHourly: boolean) =>
      isHourly ? naiveText(zone, start).slice(0, 16) : dateText(localDay(zone, start)),
    rfc3339: (start: number, zone: string) => rfc3339Text(zone, start),
  })('Form of a bucket’s time: milliseconds, seconds, local date (with the hour if hourly), RFC 3339.'),
  usage_zone: point('G7.6', zones)('Zone in which the days and weeks of the usage export begin.'),
  usage_zero: point('G7.7', { zero: '0', blank: '' })('A zero is written as 0, or left blank.'),
  usage_buckets: point('G7.7', { all: false, missing: true })(
    'Buckets and entries without a call appear with zero, or are left out.',
  ),
  usage_other: point('G7.8', {
    'when-cut': (isCut: boolean) => isCut,
    always: () => true,
    dropped: () => false,
  })('The entry Other: only when top_n cut a tail, always, or never (the tail is lost).'),
};
