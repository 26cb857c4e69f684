import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { money } from '../../src/core/index.ts';
import type { ApiKey, KeyPage } from '../../src/gateway/admin/api-key.ts';
import { listAllKeys } from '../../src/gateway/admin/key-listing.ts';
import { ok, scriptedGateway } from './support/scripted-gateway.ts';
import { once } from '../support/storm.ts';

const key = (id: number): ApiKey => ({
  id,
  name: `key ${id % 3}`,
  keyMask: undefined,
  status: 1,
  remainQuota: money('0'),
  unlimitedQuota: true,
  expiredTime: 'never',
  group: '',
  createdTime: undefined,
  rest: {},
});

type Change = { readonly add: number } | { readonly remove: number };

/** A list cut into pages by offset, newest or oldest first, that changes before the pages of given numbers are read. */
const changingList = (options: {
  readonly count: number;
  readonly cap: number;
  readonly total: 'true' | 'zero';
  readonly order: 'newest' | 'oldest';
  readonly changes: ReadonlyMap<number, readonly Change[]>;
}) => {
  let ids = Array.from({ length: options.count }, (_, index) => index + 1);
  let next = options.count + 1;
  let reads = 0;
  const always = new Set(ids);
  const ever = new Set(ids);
  const readPage = (page: number): Promise<KeyPage> => {
    for (const change of options.changes.get(reads) ?? []) {
      if ('add' in change) {
        for (let made = 0; made < change.add; made += 1) {
          ids.push(next);
          ever.add(next);
          next += 1;
        }
      } else {
        const gone = ids[change.remove % Math.max(ids.length, 1)];
        ids = ids.filter((id) => id !== gone);
        if (gone !== undefined) always.delete(gone);
      }
    }
    reads += 1;
    const ordered = options.order === 'newest' ? ids.toReversed() : ids;
    const items = ordered.slice((page - 1) * options.cap, page * options.cap).map(key);
    return Promise.resolve({
      items,
      page,
      pageSize: options.cap,
      total: options.total === 'true' ? ids.length : 0,
    });
  };
  return { readPage, always, ever, now: () => ids, reads: () => reads };
};

const change = fc.oneof(
  fc.record({ add: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ remove: fc.nat({ max: 200 }) }),
);

describe('listing keys', () => {
  it('returns every key of an unchanged list once, for any page size, order and total', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 130 }),
        fc.integer({ min: 1, max: 100 }),
        fc.constantFrom('true' as const, 'zero' as const),
        fc.constantFrom('newest' as const, 'oldest' as const),
        async (count, cap, total, order) => {
          const list = changingList({ count, cap, total, order, changes: new Map() });
          const found = (await listAllKeys(list.readPage)).map(({ id }) => id);
          expect(found.toSorted((left, right) => left - right)).toEqual(list.now());
        },
      ),
    );
  });

  it('with newest first misses no lasting key and lists none twice while keys come and go (G8.5)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 2, max: 12 }),
        fc.constantFrom('true' as const, 'zero' as const),
        fc.uniqueArray(fc.tuple(fc.nat({ max: 8 }), fc.array(change, { minLength: 1, maxLength: 2 })), {
          selector: ([at]) => at,
          maxLength: 4,
        }),
        async (count, cap, total, changes) => {
          const list = changingList({ count, cap, total, order: 'newest', changes: new Map(changes) });
          const found = (await listAllKeys(list.readPage)).map(({ id }) => id);
          expect(new Set(found).size).toBe(found.length);
          const missing = [...list.always].filter((id) => !found.includes(id));
          expect(missing).toEqual([]);
          expect(found.filter((id) => !list.ever.has(id))).toEqual([]);
        },
      ),
      {
        numRuns: once(500),
        // Two reads agree by chance.
        examples: [
          [
            14,
            5,
            'true',
            [
              [0, [{ add: 3 }]],
              [1, [{ remove: 0 }, { remove: 0 }]],
              [7, [{ add: 1 }]],
            ],
          ],
        ],
      },
    );
  });

  it('reads a short list once, and a long list once when its total agrees', async () => {
    for (const [count, reads] of [
      [0, 1],
      [5, 1],
      [25, 3],
    ] as const) {
      const list = changingList({ count, cap: 10, total: 'true', order: 'newest', changes: new Map() });
      expect(await listAllKeys(list.readPage)).toHaveLength(count);
      expect(list.reads()).toBe(reads);
    }
  });

  it('continues after a short page while the total indicates more keys (G8.4)', async () => {
    const list = changingList({ count: 35, cap: 10, total: 'true', order: 'newest', changes: new Map() });
    const boasting = async (page: number): Promise<KeyPage> => ({
      ...(await list.readPage(page)),
      pageSize: 100,
    });
    expect(await listAllKeys(boasting)).toHaveLength(35);
    const silent = async (page: number): Promise<KeyPage> => ({ ...(await boasting(page)), total: 0 });
    expect(await listAllKeys(silent)).toHaveLength(35);
  });

  it('fails for a list that never stops changing', async () => {
    let made = 0;
    const restless = (page: number): Promise<KeyPage> => {
      made += 2;
      const items = page > 3 ? [] : [key(made), key(made + 1)];
      return Promise.resolve({ items, page, pageSize: 2, total: 0 });
    };
    await expect(listAllKeys(restless)).rejects.toMatchObject({
      code: 'gateway-keys-unsettled',
      retryHelps: true,
    });
  });

  it('reports a gateway that always serves its first page', async () => {
    const stuck = (): Promise<KeyPage> =>
      Promise.resolve({ items: [key(2), key(1)], page: 1, pageSize: 2, total: 9 });
    await expect(listAllKeys(stuck)).rejects.toMatchObject({ code: 'gateway-answer-unreadable' });
  });

  it('reports a gateway that counts keys and lists none, instead of treating the account as empty', async () => {
    const hiding = (): Promise<KeyPage> => Promise.resolve({ items: [], page: 1, pageSize: 10, total: 13 });
    await expect(listAllKeys(hiding)).rejects.toMatchObject({ code: 'gateway-answer-unreadable' });
  });

  it('uses the next read when a list was briefly empty', async () => {
    const list = changingList({ count: 5, cap: 10, total: 'true', order: 'newest', changes: new Map() });
    let reads = 0;
    const failingOnce = async (page: number): Promise<KeyPage> => {
      reads += 1;
      return reads === 1 ? { items: [], page, pageSize: 10, total: 5 } : list.readPage(page);
    };
    expect(await listAllKeys(failingOnce)).toHaveLength(5);
  });

  it('requests pages from 1 in the largest size, and uses the echoed size (G8.4)', async () => {
    const all = Array.from({ length: 23 }, (_, index) => ({
      id: 23 - index,
      name: 'same',
      remain_quota: '1.0000',
      unlimited_quota: false,
      expired_time: -1,
    }));
    const { gateway, seen } = await scriptedGateway(({ query }) => {
      const page = Number(query['p']);
      return ok({ items: all.slice((page - 1) * 10, page * 10), page, page_size: 10, total: 23 });
    });
    expect((await gateway.listKeys()).map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(seen.map(({ query }) => query)).toEqual(['1', '2', '3'].map((p) => ({ p, page_size: '100' })));
  });
});

it('a key list whose pages each arrive just in time ends after ten times the timeout of a page', async () => {
  const { gateway, seen } = await scriptedGateway(
    ({ query }) =>
      (response) => {
        const page = Number(query['p']);
        const item = {
          id: 5000 - page,
          name: 'k',
          key: '',
          status: 1,
          remain_quota: 0,
          unlimited_quota: true,
          expired_time: -1,
        };
        const body = JSON.stringify({
          success: true,
          message: '',
          data: { items: [item], page, page_size: 1, total: 1500 },
        });
        response.writeHead(200, { 'content-type': 'application/json' });
        // A few bytes at a time, so that no silence is long.
        const bytes = body.match(/.{1,20}/g) ?? [];
        const timer = setInterval(() => {
          response.write(bytes.shift() ?? '');
          if (bytes.length > 0) return;
          clearInterval(timer);
          response.end();
        }, 1);
        response.on('close', () => clearInterval(timer));
      },
    { pageTimeout: 500 },
  );
  await expect(gateway.listKeys()).rejects.toMatchObject({
    code: 'gateway-timeout',
    message: expect.stringMatching(/key list .* within 5 s/) as string,
  });
  expect(seen.length).toBeGreaterThan(1);
  expect(seen.length).toBeLessThan(1500);
});
