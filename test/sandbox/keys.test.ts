import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOW, open, seconds, withBox, type Box } from './support.ts';

let box: Box;
beforeAll(async () => {
  box = await open();
});
afterAll(() => box.sandbox.stop());

type Shown = {
  id: number;
  name: string;
  key_mask: string;
  status: number;
  remain_quota: string;
  expired_time: number;
};
type Page = { items: Shown[]; page: number; page_size: number; total: number };
const pageOf = (reply: { json: { [name: string]: unknown } }): Page => reply.json['data'] as Page;
const shown = async (id: number, from = box): Promise<Shown> =>
  (await from.call(`/api/token/${id}`)).json['data'] as Shown;

describe('the plaintext of a key', () => {
  test('is returned once, and only its hash is stored (G2.6, G8.8)', async () => {
    const { id, key, reply } = await box.createKey({ name: 'secret' });
    expect(reply.json).toEqual({ success: true, message: '', data: { id, key } });
    expect(key).toMatch(/^sk-[A-Za-z0-9]{48}$/u);
    const kept = box.sandbox.state.keys.get(id);
    expect(kept?.hash).toBe(createHash('sha256').update(key.slice(3)).digest('hex'));
    const everything = JSON.stringify([...box.sandbox.state.keys.all()], (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(everything).not.toContain(key.slice(3));
    const reads = [
      await box.call(`/api/token/${id}`),
      await box.keys({ page_size: 100 }),
      await box.call('/api/token/', { method: 'PUT', body: { id, name: 'secret', unlimited_quota: true } }),
      await box.call('/_sandbox/requests'),
    ];
    for (const { text } of reads) expect(text).not.toContain(key.slice(3));
    expect((await shown(id)).key_mask).toBe(`${key.slice(0, 7)}**********${key.slice(-4)}`);
  });

  test('is derived from the given random numbers, and differs otherwise', async () => {
    const drawn = await withBox({ random: () => 0.5 }, async ({ createKey }) => (await createKey()).key);
    expect(drawn).toBe(`sk-${'f'.repeat(48)}`);
    expect((await box.createKey()).key).not.toBe((await box.createKey()).key);
  });
});

describe('the life cycle of a key', () => {
  test('covers create, read, update and delete (G8.17)', async () => {
    const { id } = await box.createKey({ name: 'life', remain_quota: 12.3456, unlimited_quota: false });
    expect(await shown(id)).toEqual({
      id,
      name: 'life',
      key_mask: expect.any(String),
      status: 1,
      remain_quota: '12.3456',
      unlimited_quota: false,
      expired_time: -1,
      group: 'default',
      created_time: seconds(NOW),
    });
    const body = {
      id,
      name: 'life 2',
      remain_quota: 3,
      unlimited_quota: false,
      expired_time: seconds(NOW) + 9,
      group: 'vip',
    };
    const update = await box.call('/api/token/', { method: 'PUT', body });
    expect(update.json).toMatchObject({ success: true, data: { name: 'life 2' } });
    expect(await shown(id)).toMatchObject({ ...body, remain_quota: '3.0000' });
    const removed = await box.call(`/api/token/${id}`, { method: 'DELETE' });
    expect(removed.json).toEqual({ success: true, message: '', data: null });
    expect((await box.call(`/api/token/${id}`)).status).toBe(404);
    expect((await box.call(`/api/token/${id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await box.call('/api/token/', { method: 'PUT', body })).status).toBe(404);
  });

  test('rejects bodies that violate the contract', async () => {
    const { id } = await box.createKey();
    const good = { name: 'fine', remain_quota: 1, unlimited_quota: false, expired_time: -1, group: '' };
    for (const fault of [
      { name: '' },
      { name: 'x'.repeat(51) },
      { name: 7 },
      { remain_quota: -1 },
      { remain_quota: '1' },
      { unlimited_quota: 'yes' },
      { expired_time: 1.5 },
      { expired_time: -2 },
      { group: 1 },
    ]) {
      for (const [method, body] of [
        ['POST', { ...good, ...fault }],
        ['PUT', { ...good, ...fault, id }],
      ] as const) {
        const reply = await box.call('/api/token/', { method, body });
        expect([method, fault, reply.json['success']]).toEqual([method, fault, false]);
      }
    }
    expect((await box.call('/api/token/', { method: 'PUT', body: good })).json['success']).toBe(false);
    expect((await box.call('/api/token/', { method: 'POST', body: [] })).json['success']).toBe(false);
  });

  test('keeps the digits of a quota, and rejects an excessive one', async () => {
    const make = (quota: string) =>
      box.call('/api/token/', { method: 'POST', body: `{"name":"exact","remain_quota": ${quota} }` });
    for (const [written, remain] of [
      ['90071992547409931.12344', '90071992547409931.1234'],
      ['0.1', '0.1000'],
      ['1E2', '100.0000'],
    ] as const) {
      const { id } = (await make(written)).json['data'] as { id: number };
      expect((await shown(id)).remain_quota).toBe(remain);
    }
    for (const written of ['1e999', '1e400']) {
      const reply = await make(written);
      expect([reply.status, reply.json['success']]).toEqual([200, false]);
    }
  });

  test('returns quotas with four digits, rounded half up', async () => {
    const { id } = await box.createKey({ remain_quota: 0.00005, unlimited_quota: false });
    expect((await shown(id)).remain_quota).toBe('0.0001');
  });
});

test('pages contain every key once', async () => {
  await withBox({}, async ({ createKey, keys }) => {
    for (let made = 0; made < 12; made += 1) await createKey({ name: `page ${made}` });
    const seen: number[] = [];
    for (let p = 1; ; p += 1) {
      const page = pageOf(await keys({ p, page_size: 7 }));
      expect(page).toMatchObject({ page: p, page_size: 7, total: 25 });
      seen.push(...page.items.map(({ id }) => id));
      if (page.items.length < 7) break;
    }
    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
    expect(seen).toEqual([...seen].sort((a, b) => b - a));
  });
});

test('an invalid page or page_size falls back to the first page and the default size', async () => {
  await withBox({}, async ({ keys }) => {
    for (const [parameters, page, size, count] of [
      [{ p: 0 }, 1, 10, 10],
      [{ p: -3, page_size: 5 }, 1, 5, 5],
      [{ p: 'two' }, 1, 10, 10],
      [{ p: 2, page_size: 0 }, 2, 10, 3],
      [{ page_size: -5 }, 1, 10, 10],
      [{ p: 99 }, 99, 10, 0],
    ] as const) {
      const found = pageOf(await keys({ ...parameters }));
      expect([parameters, found.page, found.page_size, found.items.length, found.total]).toEqual([
        parameters,
        page,
        size,
        count,
        13,
      ]);
    }
  });
});

describe('an update affects the calls made with the key', () => {
  const put = (from: Box, id: number, more: Record<string, unknown>) =>
    from.call('/api/token/', {
      method: 'PUT',
      body: {
        id,
        name: 'put',
        remain_quota: 1,
        unlimited_quota: false,
        expired_time: -1,
        group: '',
        ...more,
      },
    });

  test('when it expires, exhausts or reactivates the key (G8.11)', async () => {
    await withBox({}, async (own) => {
      const { id, key } = await own.createKey();
      for (const [more, status] of [
        [{ expired_time: seconds(NOW) - 60 }, 401],
        [{}, 200],
        [{ remain_quota: 0 }, 401],
        [{ unlimited_quota: true, remain_quota: 0 }, 200],
      ] as const) {
        expect((await put(own, id, more)).json['success']).toBe(true);
        expect([more, (await own.embed(key)).status]).toEqual([more, status]);
      }
    });
  });

  test('after a cache delay for a key set to expire, and at once for an expired key', async () => {
    await withBox({ variants: { key_cache: '60' } }, async (own) => {
      const { id, key } = await own.createKey();
      const stillborn = await own.createKey({ expired_time: seconds(NOW) - 60 });
      expect((await own.embed(stillborn.key)).status).toBe(401);
      await put(own, id, { expired_time: seconds(NOW) - 3_600 });
      const works: number[] = [];
      for (const later of [0, 59, 60]) {
        own.clock.now = NOW + later * 1000;
        works.push((await own.embed(key)).status);
        // A second update of what has expired already does not wake it.
        await put(own, id, { expired_time: seconds(NOW) - 1_800 });
      }
      expect(works).toEqual([200, 200, 401]);
    });
  });
});

describe('the initial keys', () => {
  test('include team names, a hostile name, a disabled and an expired key', async () => {
    await withBox({}, async ({ keys }) => {
      const { items } = pageOf(await keys({ page_size: 100 }));
      const names = items.map(({ name }) => name);
      for (const part of ['growth-', 'search-', 'support-', 'prod-']) {
        expect(names.filter((name) => name.startsWith(part)).length).toBeGreaterThan(1);
      }
      expect(names).toContain('team <b>"x", =1+1');
      expect(items.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
        ...Array<number>(11).fill(1),
        2,
        3,
      ]);
    });
  });

  const named = async (from: Box, name: string): Promise<Shown> => {
    const found = pageOf(await from.keys({ page_size: 100 })).items.find((item) => item.name === name);
    if (found === undefined) throw new Error(`no key ${name}`);
    return found;
  };
  const WEEK = 7 * 86_400_000;

  test('include a limited key that its traffic exhausts', async () => {
    await withBox({}, async (own) => {
      const before = await named(own, 'support-voice');
      own.clock.now += WEEK;
      const spent = own.sandbox.truth.rows(seconds(NOW) + 1, seconds(own.clock.now) + 1);
      const gone = spent
        .filter(({ token }) => token === 'support-voice')
        .reduce((sum, { quota }) => sum + Number(quota), 0);
      const after = await named(own, 'support-voice');
      expect(gone).toBeGreaterThan(0);
      expect(Number(before.remain_quota) - Number(after.remain_quota)).toBeCloseTo(gone, 3);
    });
  });

  test('continue their traffic for the cache delay', async () => {
    const lasts = async (key_cache: '0' | '60' | '600'): Promise<boolean[]> =>
      withBox({ callsPerDay: 20_000, variants: { key_cache, late_rows: 'absent' } }, async (own) => {
        const { id: deleted } = await named(own, 'growth-web');
        const { id: disabled } = await named(own, 'growth-mail');
        const { id: expired } = await named(own, 'prod-gateway');
        await own.call(`/api/token/${deleted}`, { method: 'DELETE' });
        own.sandbox.traffic.disableKey(disabled);
        const body = { id: expired, name: 'prod-gateway', unlimited_quota: true, expired_time: seconds(NOW) };
        await own.call('/api/token/', { method: 'PUT', body });
        own.clock.now += 3_600_000;
        const last = (name: string): number =>
          own.sandbox.truth
            .rows(seconds(NOW) - 600, seconds(own.clock.now))
            .findLast(({ token, kind }) => token === name && kind === 'consumption')?.createdAt ?? 0;
        const cached = Number(key_cache);
        return ['growth-web', 'growth-mail', 'prod-gateway'].map((name) => {
          const after = last(name) - seconds(NOW);
          return after <= cached && after > cached - 300;
        });
      });
    for (const cache of ['0', '60', '600'] as const)
      expect([cache, await lasts(cache)]).toEqual([cache, [true, true, true]]);
  });

  test('end their traffic when deleted or disabled, follow a new name, and can pass their traffic to another key', async () => {
    await withBox({ callsPerDay: 100 }, async (own) => {
      const { id: gone } = await named(own, 'growth-web');
      const { id: disabled } = await named(own, 'growth-mail');
      const { id: renamed } = await named(own, 'search-api');
      const { id: moved } = await named(own, 'prod-gateway');
      const { id: taker } = await own.createKey({ name: 'prod-gateway-2' });
      await own.call(`/api/token/${gone}`, { method: 'DELETE' });
      own.sandbox.traffic.disableKey(disabled);
      const body = {
        id: renamed,
        name: 'search-api v2',
        unlimited_quota: true,
        expired_time: seconds(NOW + WEEK),
      };
      await own.call('/api/token/', { method: 'PUT', body });
      expect(
        (await own.call(`/_sandbox/keys/${moved}/move-traffic`, { method: 'POST', body: { to: taker } }))
          .status,
      ).toBe(200);
      own.clock.now += 2 * WEEK;
      const later = own.sandbox.truth.rows(seconds(NOW) + 1, seconds(own.clock.now));
      const names = new Set(later.map(({ token }) => token));
      for (const name of ['growth-web', 'growth-mail', 'search-api', 'prod-gateway'])
        expect(names).not.toContain(name);
      expect(names).toContain('prod-gateway-2');
      const last = later.findLast(({ token }) => token === 'search-api v2');
      expect(last?.createdAt).toBeLessThan(seconds(NOW + WEEK));
      expect(last?.createdAt).toBeGreaterThan(seconds(NOW + WEEK) - 86_400);
      expect(own.sandbox.truth.rows(0, seconds(NOW)).some(({ token }) => token === 'growth-web')).toBe(true);
      expect(own.sandbox.traffic.moveTraffic(gone, taker)).toBe(false);
      expect(own.sandbox.traffic.disableKey(gone)).toBe(false);
    });
  });
});
