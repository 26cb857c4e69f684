import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  accountName,
  address,
  addresses,
  amount,
  cron,
  date,
  duration,
  jobName,
  positiveDuration,
  reportName,
  secret,
  size,
  teamName,
  zone,
} from '../../src/config/index.ts';
import { parseMailbox } from '../../src/core/index.ts';

type Examples = readonly [field: z.ZodType, good: readonly unknown[], bad: readonly unknown[]];

const names = [
  ['main', 'a', '0-9_a.b', 'x'.repeat(64)],
  ['', '-a', '.a', 'a b', 'a/b', '__proto__', 'x'.repeat(65), 7],
] as const;

const jobNames = [
  [...names[0], '研发部', 'Équipe', 'E\u0301quipe', 'قسم', 'отдел-2'],
  ['', '-a', '.a', 'a b', 'a/b', '__proto__', 'x'.repeat(65), '研\u200b发', '\u202e部', '👩‍💻', 7],
] as const;
const teamNames = [
  [...jobNames[0], 'Équipe données', 'a b'],
  ['', ' a', 'a ', 'a  b', 'a\tb', 'a\u00a0b', 'a/b', 'x'.repeat(65), 7],
] as const;

const examples: Readonly<Record<string, Examples>> = {
  duration: [duration, ['0s', '90s', '10m', '1h30m', '2d', '1w'], ['', '10', '10 m', '-1m', '1y', 'm', 10]],
  positiveDuration: [positiveDuration, ['1ms', '10m'], ['0s', '0h0m', '']],
  date: [
    date,
    ['2025-01-01', '2024-02-29'],
    ['2025-02-29', '2025-1-1', '2025-01-01T00:00', 'today', 20250101],
  ],
  zone: [
    zone,
    ['UTC', 'Europe/Berlin', 'America/Argentina/Ushuaia'],
    ['', 'Mars', 'Berlin', 'europe', 'local', '../UTC', 1],
  ],
  cron: [
    cron,
    ['7 * * * *', '*/5 0-6,22 1 JAN,jul MON-fri', '0 0 L * 5#2', '15W * * * *', '30 0 8 * * 1', '@daily'],
    ['', '* * * *', '* * * * * * *', '@often', '@reboot', 'every day', '0 8 * * 1;rm', '0 8 * * $(x)'],
  ],
  address: [
    address,
    [
      'ops@example.com',
      'a.b+c@x.example',
      'Ops <ops@example.com>',
      '"Ops, night" <o@x.de>',
      'müller@bücher.example',
      'root@localhost',
    ],
    [
      '',
      'ops',
      'a@',
      '@b',
      'a@b c',
      'a@b, c@d',
      'a@-b.c',
      'a@b..c',
      'a@b\r\nBcc: c@d',
      'X\n<a@b>',
      'a@b>',
      'x'.repeat(400) + '@b.c',
      7,
    ],
  ],
  addresses: [addresses, [['a@b.c'], ['a@b.c', 'D <d@e.f>']], [[], ['x'], 'a@b.c', [7]]],
  amount: [
    amount,
    [0, 500, 0.1, '499.95', '123456789012345678.123456789012'],
    [-1, '-1', '', '1e3', '1,5', Infinity, 0.1234567890123456, '1.1234567890123', true],
  ],
  size: [size, ['1GB', '512MB', '1.5GiB', '2 TB'], ['1', 'GB', '0GB', '-1GB', '1PB', '80%', 1024]],
  secret: [secret, ['sk-admin-1'], ['', 7]],
  accountName: [accountName, ...names],
  jobName: [jobName, ...jobNames],
  reportName: [reportName, ...names],
  teamName: [teamName, ...teamNames],
};

describe('a common field of job kinds', () => {
  it.each(Object.entries(examples))('%s accepts exactly the valid values', (_name, [field, good, bad]) => {
    expect(good.filter((value) => !field.safeParse(value).success)).toEqual([]);
    expect(bad.filter((value) => field.safeParse(value).success)).toEqual([]);
  });

  it('reads durations as milliseconds and amounts as exact decimals', () => {
    expect(duration.parse('1h30m')).toBe(5_400_000);
    expect(amount.parse(0.1)).toBe('0.1');
    expect(amount.parse('499.950')).toBe('499.95');
    expect(secret.parse('sk-admin-1').reveal()).toBe('sk-admin-1');
    expect(JSON.stringify(secret.parse('sk-admin-1'))).toBe('"[secret]"');
  });

  it('accepts exactly the addresses that mail can be sent to', () => {
    const [, good, bad] = examples['address'] ?? [];
    for (const text of good ?? []) expect(parseMailbox(String(text)), String(text)).toBeDefined();
    for (const text of bad ?? []) expect(parseMailbox(String(text)), String(text)).toBeUndefined();
  });
});
