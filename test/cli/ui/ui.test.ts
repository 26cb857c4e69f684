import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countText } from '../../../src/core/index.ts';
import { describeDuration, describeUntil } from '../../../src/cli/ui/messages.ts';
import { commonZone, localMoment, localSlot } from '../../../src/cli/ui/moment.ts';
import { at, hostile } from '../support/views.ts';
import { commandForm, withCommandForm } from '../../../src/cli/ui/output.ts';
import { noPaint, screenOf } from '../../../src/cli/ui/paint.ts';
import { progressLine, showProgress } from '../../../src/cli/ui/progress.ts';
import { clip, oneLine, widthOf, wrap } from '../../../src/cli/ui/text.ts';
import { manualClock } from '../../support/manual-clock.ts';

describe('instants in a zone', () => {
  it.each([
    ['2026-11-21T07:00:00Z', 'Europe/Berlin', '2026-11-21 08:00'],
    ['2026-11-21T07:00:07.123Z', 'Asia/Kolkata', '2026-11-21 12:30:07'],
    ['2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-25 02:30 +02:00'],
    ['2026-10-25T01:30:00Z', 'Europe/Berlin', '2026-10-25 02:30 +01:00'],
    ['2026-10-25T02:00:00Z', 'Europe/Berlin', '2026-10-25 03:00'],
    ['2026-10-24T23:59:00Z', 'Europe/Berlin', '2026-10-25 01:59'],
    ['2026-03-29T01:30:00Z', 'Europe/Berlin', '2026-03-29 03:30'],
    ['2026-11-01T06:30:00Z', 'America/New_York', '2026-11-01 01:30 -05:00'],
    ['2026-04-04T15:15:00Z', 'Australia/Lord_Howe', '2026-04-05 01:45 +10:30'],
    ['2026-04-04T14:15:00Z', 'Australia/Lord_Howe', '2026-04-05 01:15'],
    ['2026-11-21T07:00:00Z', 'UTC', '2026-11-21 07:00'],
  ])('%s in %s: %s', (moment, zone, shown) => {
    expect(localSlot(at(moment), zone)).toBe(shown);
    expect(localMoment(at(moment), zone)).toBe(shown.replace(/(:\d\d):\d\d\b/, '$1'));
  });

  it('share a zone when all have the same one', () => {
    expect(commonZone([])).toBeUndefined();
    expect(commonZone([{ zone: 'UTC' }, { zone: 'UTC' }])).toBe('UTC');
    expect(commonZone([{ zone: 'UTC' }, { zone: 'Asia/Kolkata' }])).toBeUndefined();
  });
});

it.each([
  ['on the path', { script: '/usr/local/bin/tollkeeper' }, '/data', 'tollkeeper'],
  [
    'under npx',
    { script: '/cache/npx/node_modules/.bin/tollkeeper', npmCommand: 'exec' },
    '/',
    'npx tollkeeper',
  ],
  ['in a checkout', { script: '/srv/tollkeeper/dist/main.js' }, '/srv/tollkeeper', 'npx tollkeeper'],
  ['above a checkout', { script: '/srv/tollkeeper/dist/main.js' }, '/srv', 'node tollkeeper/dist/main.js'],
  ['elsewhere', { script: '/opt/toll keeper/dist/main.js' }, '/data', "node '/opt/toll keeper/dist/main.js'"],
])('the command of the program %s is the one that can be called there', (_, invocation, cwd, form) => {
  expect(commandForm(invocation, cwd)).toBe(form);
});

it('output names commands in the form that can be called, and changes nothing else', () => {
  let written = '';
  const output = withCommandForm(
    { write: (text) => void (written += text), isTerminal: false, columns: 80 },
    'npx tollkeeper',
    ['keys', 'run'],
  );
  output.write('what to do: run `tollkeeper keys list`\n  tollkeeper run daily-spend\n');
  const others = [
    'tollkeeper: no such job',
    'docker compose exec tollkeeper sh',
    'data/tollkeeper keys',
  ].join('; ');
  output.write(`${others}\n`);
  expect(written).toBe(
    `what to do: run \`npx tollkeeper keys list\`\n  npx tollkeeper run daily-spend\n${others}\n`,
  );
});

const terminal = { isTerminal: true, columns: 80, write: () => undefined };

it.each([
  [{}, true, true],
  [{ NO_COLOR: '' }, true, true],
  [{ NO_COLOR: '1' }, true, false],
  [{ TERM: 'dumb' }, true, false],
  [{}, false, false],
])(
  'a screen with %j is painted, but for plain and empty text (terminal: %s): %s',
  (env, isTerminal, isPainted) => {
    const { paint, width } = screenOf({ ...terminal, isTerminal }, env);
    expect([width, paint === noPaint]).toEqual([isTerminal ? 80 : undefined, !isPainted]);
    const late = isPainted ? '\u001B[31mlate\u001B[0m' : 'late';
    expect([paint('bad', 'late'), paint('plain', 'late'), paint('bad', '')]).toEqual([late, 'late', '']);
  },
);

const shown = (isTerminal: boolean, keepsSteps: boolean): string[] => {
  const written: string[] = [];
  const output = { write: (text: string) => void written.push(text), isTerminal, columns: 40 };
  const { progress, end } = showProgress(output, manualClock(), keepsSteps);
  progress({ step: 'pulling', done: 1, total: 2 });
  progress({ step: 'pulling', done: 2, total: 2 });
  progress({ step: 'building', detail: `网关${'没有响应'.repeat(20)}\u001B[2J\n` });
  end();
  end();
  return written;
};

const clear = '\r\u001B[2K';

describe('the progress display', () => {
  it('rewrites one line of a terminal, and keeps the last of each step', () => {
    const written = shown(true, true);
    expect(written.slice(0, 3)).toEqual([`${clear}pulling: 1 of 2`, `${clear}pulling: 2 of 2`, '\n']);
    expect(written.slice(4)).toEqual(['\n']);
  });

  it('leaves nothing when other lines remain', () => {
    const written = shown(true, false);
    expect(written.join('')).not.toContain('\n');
    expect(written.at(-1)).toBe(clear);
  });

  it('never fills a line of the terminal in any script, and removes control characters', () => {
    for (const line of shown(true, false).slice(0, -1)) {
      const text = line.slice(clear.length);
      expect(widthOf(text)).toBeLessThan(40);
      expect(text).not.toContain('\u001B');
    }
  });

  it('prints whole lines without a terminal', () => {
    expect(shown(false, true).every((line) => /^\P{Cc}+\n$/u.test(line))).toBe(true);
  });

  it('shows rows, bytes, rate and time left when they are known', () => {
    const step = { step: 'pulling', done: 3, total: 15, rows: 41_203, bytes: 7_900_000, detail: 'May' };
    expect(progressLine(step)).toBe('pulling: 3 of 15, 41,203 rows, 7.9 MB (May)');
    expect(
      progressLine({ ...step, bytesPerSecond: 2_140_000, rowsPerSecond: 11_000, millisLeft: 200_000 }),
    ).toBe('pulling: 3 of 15, 41,203 rows, 7.9 MB, 2.1 MB/s, 3 min 20 s left (May)');
    expect(progressLine({ step: 'pulling', rowsPerSecond: 1500 })).toBe('pulling: 1,500 rows/s');
  });
});

const s = 1000;
const min = 60 * s;
const h = 60 * min;
const d = 24 * h;

describe('a duration as text', () => {
  it.each([
    [0, '0 ms'],
    [-5, '0 ms'],
    [340, '340 ms'],
    [1234, '1.2 s'],
    [9960, '10 s'],
    [59_600, '1 min'],
    [200 * s, '3 min 20 s'],
    [2 * h + 5 * min, '2 h 5 min'],
    [3 * d + 4 * h, '3 d 4 h'],
    [400 * d, '400 d'],
  ])('%d ms: %s', (millis, message) => {
    expect(describeDuration(millis)).toBe(message);
  });

  it('never shows 60 of a unit, nor differs by more than a unit', () => {
    const units: Record<string, number> = { ms: 1, s, min, h, d };
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 * d }), (millis) => {
        const parts = [...describeDuration(millis).matchAll(/([\d.]+) (ms|s|min|h|d)/g)];
        const output = parts.reduce(
          (sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0),
          0,
        );
        for (const [, count, unit = ''] of parts)
          expect(Number(count)).toBeLessThan({ ms: 1000, s: 60, min: 60, h: 24 }[unit] ?? 1000);
        expect(Math.abs(output - millis)).toBeLessThanOrEqual(Math.max(1, millis / 20));
      }),
    );
  });

  it('gives the time until an instant', () => {
    expect(describeUntil(3 * h + 20 * min, 0)).toBe('in 3 h 20 min');
    expect(describeUntil(3400, 0)).toBe('in 4 s');
    expect(describeUntil(5, 5)).toBe('now');
    expect(describeUntil(0, 5)).toBe('now');
  });

  it('gives counts with the right plural', () => {
    expect([0, 1, 1204].map((count) => countText(count, 'slot'))).toEqual([
      '0 slots',
      '1 slot',
      '1,204 slots',
    ]);
  });
});

describe('text on a terminal', () => {
  it('is one line without escapes, controls and direction marks, and keeps letters and joined emoji', () => {
    expect(oneLine('\u001B[31mred\u001B[0m\r\n\tnext\u0000 \u009B2Jx\u202Ey\uFEFFz\u2028w')).toBe(
      'red next xyz w',
    );
    expect(oneLine(`an unfinished \u001B]0;title`)).not.toContain('\u001B');
    expect(oneLine('  👩‍👩‍👧 e\u0301 \uD800 ')).toBe('👩‍👩‍👧 e\u0301 \uFFFD');
    // oxlint-disable-next-line no-control-regex
    expect(oneLine(hostile)).toMatch(/^[^\u0000-\u001F\u007F-\u009F\u202A-\u202E]*$/);
  });

  it.each([
    ['abc', 3],
    ['网关', 4],
    ['ﾊﾝｶｸ', 4],
    ['한글', 4],
    ['，。', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['Привет', 6],
    ['…', 1],
  ])('%s is %d columns wide', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it('is cut between characters', () => {
    expect(clip('abcdef', 6)).toBe('abcdef');
    expect(clip('abcdefg', 6)).toBe('abcde…');
    expect(clip('网关没有', 6)).toBe('网关…');
    expect(clip('网'.repeat(100_000), 10)).toBe('网网网网…');
  });

  it('is wrapped at spaces or within long words, and nothing is lost', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('网关没有响应', 5)).toEqual(['网关', '没有', '响应']);
    expect(wrap('', 5)).toEqual(['']);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 60 }), (given, width) => {
        const text = oneLine(given);
        const lines = wrap(text, width);
        expect(lines.filter((line) => widthOf(line) > width)).toEqual([]);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });
});
