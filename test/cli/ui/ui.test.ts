import { describe, expect, it } from 'vitest';
import { commonZone, localMoment, localSlot } from '../../../src/cli/ui/moment.ts';
import { at } from '../support/views.ts';
import { commandForm, withCommandForm } from '../../../src/cli/ui/output.ts';
import { screenOf } from '../../../src/cli/ui/paint.ts';
import { progressLine, showProgress } from '../../../src/cli/ui/progress.ts';
import { widthOf } from '../../../src/cli/ui/text.ts';
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

it('a terminal paints all but plain and empty text, and a pipe paints nothing', () => {
  const { paint } = screenOf(terminal, {});
  expect([paint('bad', 'late'), paint('plain', 'late'), paint('bad', '')]).toEqual([
    '\u001B[31mlate\u001B[0m',
    'late',
    '',
  ]);
  for (const screen of [
    screenOf({ ...terminal, isTerminal: false }, {}),
    screenOf(terminal, { NO_COLOR: '1' }),
  ])
    expect(screen.paint('bad', 'late')).toBe('late');
});

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
