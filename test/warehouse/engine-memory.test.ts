import { expect, it } from 'vitest';
import { engineMemory } from '../../src/warehouse/engine.ts';

it.each([
  ['512MB', '448MB'],
  ['1GB', '0.875GB'],
  ['1.5 GiB', '1.3125GiB'],
])('of a limit of %s the engine receives %s', (allowed, reported) => {
  expect(engineMemory(allowed)).toBe(reported);
});
