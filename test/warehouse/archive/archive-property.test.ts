import fc from 'fast-check';
import { expect, it } from 'vitest';
import { interval, unixSeconds, type Interval, type UnixSeconds } from '../../../src/core/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import {
  at,
  batchOfCalls,
  cubeOf,
  day,
  dayMillis,
  openAt,
  rowsAtRest,
  year,
  type Call,
} from './archive-support.ts';
import { testFolder } from '../support.ts';
import { few, chaosFactor } from '../../support/storm.ts';

const runs = few(1, 2 * chaosFactor);

const first = at('2024-01-01');
const days = 31 + 29 + 31;

/** Names and notes as odd as they come; some begin like a formula, hold a quote or a line end, or are empty. */
const text = fc.oneof(
  fc.constantFrom(
    'gpt-4o',
    'claude',
    '',
    ' ',
    '"',
    "'; DROP TABLE call_log; --",
    '=1+1',
    'a,b',
    '汉😀',
    'x\ny',
    '\\',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((one) => one.replaceAll(/[\0\r\n]/g, '')),
);

const moment = fc.oneof(
  fc.integer({ min: 0, max: days * day }),
  // Around the ends of months.
  fc
    .tuple(fc.constantFrom(0, 31, 60, 91), fc.integer({ min: -2, max: 2 }))
    .map(([month, off]) => Math.min(days * day, Math.max(0, month * day + off))),
);

const range = fc
  .tuple(moment, moment)
  .map(([one, other]) =>
    interval(unixSeconds(first + Math.min(one, other)), unixSeconds(first + Math.max(one, other))),
  );

const call = fc.record({
  place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  model: text,
  key: text,
  kind: fc.constantFrom('consumption', 'consumption', 'refund', 'topup', 'odd'),
  prompt: fc.option(fc.integer({ min: -1, max: 2 ** 31 }), { nil: undefined }),
  quota: fc
    .tuple(fc.integer({ min: -9, max: 999_999 }), fc.integer({ min: 0, max: 999_999_999_999 }))
    .map(([whole, rest]) => `${whole}.${String(rest).padStart(12, '0')}`),
  note: text,
  times: fc.constantFrom(1, 1, 1, 2, 3),
});

type Step =
  | { readonly do: 'land'; readonly window: Interval<UnixSeconds>; readonly calls: readonly Call[] }
  | { readonly do: 'archive'; readonly retain: number | undefined; readonly failsAt: number | undefined }
  | { readonly do: 'read'; readonly range: Interval<UnixSeconds> }
  | { readonly do: 'reopen' };

const land = fc.tuple(range, fc.array(call, { maxLength: 25 })).map(([window, calls]): Step => ({
  do: 'land',
  window,
  calls:
    window.end === window.start
      ? []
      : calls.flatMap(({ place, times, ...rest }) =>
          Array.from({ length: times }, () => ({
            ...rest,
            at: window.start + Math.floor(place * (window.end - window.start)),
          })),
        ),
}));

const archive = fc.record({
  do: fc.constant('archive' as const),
  // The months end 60, 31 and 0 days before the clock's moment, or none of them leaves.
  retain: fc.constantFrom(dayMillis / 2, 20 * dayMillis, 50 * dayMillis, undefined),
  // A run that breaks off at its n-th step, wherever that is.
  failsAt: fc.option(fc.integer({ min: 0, max: 24 }), { nil: undefined, freq: 2 }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: land },
  { weight: 4, arbitrary: archive },
  { weight: 1, arbitrary: range.map((one): Step => ({ do: 'read', range: one })) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'reopen' }) },
);

const outcomeOf = async <T>(work: Promise<T>): Promise<unknown> =>
  work.catch((error: unknown) => ({ code: (error as { code?: unknown }).code }));

const runArchive = async (
  warehouse: Warehouse,
  { retain, failsAt }: { readonly retain: number | undefined; readonly failsAt: number | undefined },
): Promise<void> => {
  let steps = 0;
  await warehouse.archive
    .run({
      account: 'main',
      settle: 0,
      ...(retain === undefined ? {} : { retain }),
      onStep: () => {
        if (steps === failsAt) throw new Error('broken off');
        steps += 1;
      },
    })
    .catch((error: Error) => {
      if (failsAt === undefined || !error.message.endsWith('broken off')) throw error;
    });
};

it('a warehouse with any landings, archive runs and interruptions equals one that never archived', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      await using folder = await testFolder();
      const moment = (first + days * day) * 1000 + dayMillis;
      const open = async (name: string) => openAt(folder, name, moment as Parameters<typeof openAt>[2]);
      let warehouse = await open('test');
      const plain = await open('plain');
      try {
        for (const one of steps) {
          if (one.do === 'land') {
            const batch = await batchOfCalls(folder, one.window, one.calls);
            const landed = await outcomeOf(warehouse.logs.landWindow(batch));
            expect(landed).toEqual(await outcomeOf(plain.logs.landWindow(batch)));
          }
          if (one.do === 'archive') await runArchive(warehouse, one);
          if (one.do === 'read')
            expect(await warehouse.spend('main', one.range)).toEqual(await plain.spend('main', one.range));
          if (one.do === 'reopen') {
            await warehouse[Symbol.asyncDispose]();
            warehouse = await open('test');
          }
        }
        expect(await warehouse.spend('main', year)).toEqual(await plain.spend('main', year));
        expect(await cubeOf(warehouse)).toEqual(await cubeOf(plain));
        expect(await warehouse.archive.verify('main')).toEqual([]);
      } finally {
        await warehouse[Symbol.asyncDispose]();
        await plain[Symbol.asyncDispose]();
      }
      expect((await rowsAtRest(folder, 'test')).rows).toEqual((await rowsAtRest(folder, 'plain')).rows);
    }),
    { numRuns: runs },
  );
}, 600_000);
