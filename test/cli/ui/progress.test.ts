import { describe, expect, it } from 'vitest';
import { progressLine, showProgress } from '../../../src/cli/ui/progress.ts';
import { widthOf } from '../../../src/cli/ui/text.ts';
import { manualClock } from '../../support/manual-clock.ts';

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
