import fc from 'fast-check';
import { expect, it } from 'vitest';
import { divideMemory, excessOf } from '../../src/core/index.ts';

it.each([
  [
    512 * 2 ** 20,
    { node: 150_000_000, database: 139_910_292, queries: 193_273_528, queryEngine: 93_273_528 },
  ],
  [2 ** 30, { node: 150_000_000, database: 429_820_584, queries: 386_547_057, queryEngine: 286_547_057 }],
])(
  'a container of %d bytes is divided among the database, the SQL of reports and Node.js',
  (bytes, parts) => {
    expect(divideMemory({ bytes, of: 'container' })).toEqual({ limit: { bytes, of: 'container' }, ...parts });
  },
);

it('the parts of any container never exceed nine tenths of its limit', () => {
  fc.assert(
    fc.property(fc.integer({ min: 400_000_000, max: 2 ** 45 }), (bytes) => {
      const { node, database, queries } = divideMemory({ bytes, of: 'container' });
      expect(node + database + queries).toBeLessThanOrEqual(bytes * 0.9);
      expect(database).toBeGreaterThan(50_000_000);
    }),
  );
});

it('a machine leaves half of its memory to other programs, and gives at most 2 GB', () => {
  const at = (bytes: number) => divideMemory({ bytes, of: 'machine' });
  expect(at(1_000_000_000).database).toBe(divideMemory({ bytes: 500_000_000, of: 'container' }).database);
  expect(at(64_000_000_000).database).toBe(at(4_000_000_000).database);
});

it('a limit below the smallest that works is refused with that limit', () => {
  expect(() => divideMemory({ bytes: 399_999_999, of: 'container' })).toThrow(/ 399MB, .* 400MB$/);
});

it('warehouse.memory_limit sets the limit of both engines, and what exceeds the container is known', () => {
  const small = { bytes: 256_000_000, of: 'container' } as const;
  const division = divideMemory(small, '512MB');
  expect(division).toMatchObject({ database: 512_000_000, queryEngine: 512_000_000 });
  expect(excessOf(division)).toBe(150_000_000 + 512_000_000 + 612_000_000 - 256_000_000);
  expect(excessOf(divideMemory({ bytes: 4_000_000_000, of: 'container' }, '1GB'))).toBe(0);
});
