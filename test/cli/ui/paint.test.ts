import { expect, it } from 'vitest';
import { screenOf } from '../../../src/cli/ui/paint.ts';

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
