import { expect, it } from 'vitest';
import { engineMemory } from '../../src/storage/duckdb/engine.ts';

it.each([
  ['512MB', '409.6MB'],
  ['1GB', '0.8GB'],
  ['1.5 GiB', '1.2GiB'],
])('of a limit of %s the engine receives %s', (allowed, reported) => {
  expect(engineMemory(allowed)).toBe(reported);
});
