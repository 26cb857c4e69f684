import { expect, it } from 'vitest';
import { printSteps, wrap } from '../../src/demo/print-steps.ts';

it.each([
  ['a short line', 20, 'a short line'],
  ['   a line with an indent of its own', 20, '   a line with an\n   indent of its own'],
  [
    'one word is longer: https://gateway.example.com',
    20,
    'one word is longer:\n   https://gateway.example.com',
  ],
  ['', 20, ''],
])('the demo breaks “%s” at %i columns', (text, columns, lines) => {
  expect(wrap(text, columns, '   ')).toBe(lines);
});

it('the demo numbers its steps and prints at most 100 columns on a wide terminal', () => {
  let [shown, ended] = ['', 0];
  const { say, step } = printSteps(
    { write: (text) => void (shown += text), isTerminal: true, columns: 300 },
    () => void (ended += 1),
  );
  step('The first.');
  say('   What it shows.');
  step('word '.repeat(30).trim());
  const lines = shown.split('\n');
  expect(lines.slice(0, 2)).toEqual(['1. The first.', '   What it shows.']);
  expect(lines[2]).toMatch(/^2\. (?:word ?)+$/);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100);
  expect(ended).toBe(3);
});
