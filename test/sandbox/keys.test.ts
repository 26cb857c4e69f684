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

describe('the plaintext', () => {
  test('comes once, and only its hash is kept', async () => {
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

  test('is drawn from the caller’s numbers when they are given, and differs otherwise', async () => {
    const drawn = await withBox({ random: () => 0.5 }, async ({ createKey }) => (await createKey()).key);
    expect(drawn).toBe(`sk-${'f'.repeat(48)}`);
    expect((await box.createKey()).key).not.toBe((await box.createKey()).key);
  });
});

describe('the life of a key', () => {
  test('create, read, update, delete', async () => {
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

  test('bodies that break the document are refused', async () => {
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

  test('quotas in answers have four digits, half a digit rounded up', async () => {
    const { id } = await box.createKey({ remain_quota: 0.00005, unlimited_quota: false });
    expect((await shown(id)).remain_quota).toBe('0.0001');
  });
});

test('pages hold every key once', async () => {
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

describe('the keys that were there before', () => {
  test('team names, a hostile one, one disabled and one expired', async () => {
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

  test('a limited one is used up by its traffic', async () => {
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

  test('traffic ends with a deleted or disabled key, follows a new name, and can be moved to another key', async () => {
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
