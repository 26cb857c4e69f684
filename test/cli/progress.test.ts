import { describe, expect, it } from 'vitest';
import { showProgress } from '../../src/cli/progress.ts';
import { widthOf } from '../../src/cli/text.ts';
import { manualClock } from '../support/manual-clock.ts';

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

describe('progress', () => {
  it('rewrites one line of a terminal, and leaves the last of each step', () => {
    const written = shown(true, true);
    expect(written.slice(0, 3)).toEqual([`${clear}pulling: 1 of 2`, `${clear}pulling: 2 of 2`, '\n']);
    expect(written.slice(4)).toEqual(['\n']);
  });

  it('leaves nothing where lines of another kind stay', () => {
    const written = shown(true, false);
    expect(written.join('')).not.toContain('\n');
    expect(written.at(-1)).toBe(clear);
  });

  it('never fills a line of the terminal, whatever the script, and lets no control through', () => {
    for (const line of shown(true, false).slice(0, -1)) {
      const text = line.slice(clear.length);
      expect(widthOf(text)).toBeLessThan(40);
      expect(text).not.toContain('\u001B');
    }
  });

  it('is whole lines elsewhere', () => {
    expect(shown(false, true).every((line) => /^\P{Cc}+\n$/u.test(line))).toBe(true);
  });
});
