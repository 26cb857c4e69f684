import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { NOW, seconds, withBox, type Box, type ShownKey } from './support.ts';

const WEEK = 7 * 86_400_000;

/** An initial key; their names are unique. */
const keyOf = (box: Box, name: string): Promise<ShownKey> =>
  box.readKey(box.sandbox.state.keys.all().find((key) => key.name === name)?.id ?? 0);

test('the plaintext of a key is drawn from the random numbers, returned once, and stored as its hash (G2.6, G8.8)', async () => {
  await withBox({}, async (own) => {
    const { id, key, reply } = await own.createKey({ name: 'secret' });
    expect(reply.json).toEqual({ success: true, message: '', data: { id, key } });
    expect(key).toMatch(/^sk-[A-Za-z0-9]{48}$/u);
    expect((await own.createKey()).key).not.toBe(key);
    const kept = own.sandbox.state.keys.get(id);
    expect(kept?.hash).toBe(createHash('sha256').update(key.slice(3)).digest('hex'));
    const updated = await own.updateKey({ id, name: 'secret' });
    const reads = [await own.keys(), updated, await own.call('/_sandbox/requests')];
    const texts = [...reads.map(({ text }) => text), ...Object.values(kept ?? {}).map(String)];
    expect(texts.filter((text) => text.includes(key.slice(3)))).toEqual([]);
    expect((await own.readKey(id)).key_mask).toBe(`${key.slice(0, 7)}**********${key.slice(-4)}`);
  });
  const drawn = await withBox({ random: () => 0.5 }, async ({ createKey }) => (await createKey()).key);
  expect(drawn).toBe(`sk-${'f'.repeat(48)}`);
});

test('an update expires, exhausts or reactivates a key, and expiry waits for the cache (G8.11)', async () => {
  await withBox({ variants: { key_cache: '60' } }, async ({ clock, createKey, updateKey, embed }) => {
    const past = seconds(NOW) - 60;
    const stillborn = await createKey({ expired_time: past });
    expect((await embed(stillborn.key)).status).toBe(401);
    const { id, key } = await createKey();
    const put = async (more: Record<string, unknown>, later = 0): Promise<number> => {
      clock.now = NOW + later * 1000;
      await updateKey({ id, name: 'put', remain_quota: 1, expired_time: -1, ...more });
      return (await embed(key)).status;
    };
    const works: number[] = [];
    for (const more of [{ remain_quota: 0 }, { unlimited_quota: true, remain_quota: 0 }, {}])
      works.push(await put(more));
    // A further update of what has expired already does not wake it.
    for (const later of [0, 59, 60]) works.push(await put({ expired_time: past + later }, later));
    expect(works).toEqual([401, 200, 200, 200, 200, 401]);
  });
});

test('the initial keys include team names, a hostile name, a disabled and an expired key, and a limited one that its traffic exhausts', async () => {
  await withBox({}, async (own) => {
    const { items } = await own.page({ page_size: 100 });
    const names = items.map(({ name }) => name);
    for (const team of ['growth-', 'search-', 'support-', 'prod-'])
      expect(names.filter((name) => name.startsWith(team)).length).toBeGreaterThan(1);
    expect(names).toContain('team <b>"x", =1+1');
    expect([2, 3].map((wanted) => items.filter(({ status }) => status === wanted).length)).toEqual([1, 1]);
    const before = await keyOf(own, 'support-voice');
    own.clock.now += WEEK;
    const { byKey } = own.sandbox.truth.sums(seconds(NOW) + 1, seconds(own.clock.now) + 1);
    const spent = Number(byKey['support-voice']);
    expect(spent).toBeGreaterThan(0);
    const after = await keyOf(own, 'support-voice');
    expect(Number(before.remain_quota) - Number(after.remain_quota)).toBeCloseTo(spent, 3);
  });
});

test.each(['0', '60', '600'] as const)(
  'the traffic of a deleted, a disabled and an expired key goes on for a cache delay of %s seconds',
  async (key_cache) => {
    await withBox({ callsPerDay: 20_000, variants: { key_cache, late_rows: 'absent' } }, async (own) => {
      await own.deleteKey((await keyOf(own, 'growth-web')).id);
      own.sandbox.traffic.disableKey((await keyOf(own, 'growth-mail')).id);
      const { id } = await keyOf(own, 'prod-gateway');
      await own.updateKey({ id, name: 'prod-gateway', unlimited_quota: true, expired_time: seconds(NOW) });
      own.clock.now += 3_600_000;
      const rows = own.sandbox.truth.rows(seconds(NOW) - 600, seconds(own.clock.now));
      for (const name of ['growth-web', 'growth-mail', 'prod-gateway']) {
        const last = rows.findLast(({ token, kind }) => token === name && kind === 'consumption');
        const before = Number(key_cache) + seconds(NOW) - (last?.createdAt ?? 0);
        expect([name, before >= 0, before < 300]).toEqual([name, true, true]);
      }
    });
  },
);

test('traffic follows a new name until the expiry of its key, and can pass to another key', async () => {
  await withBox({ callsPerDay: 100 }, async (own) => {
    const move = async (name: string, to: number): Promise<number> => {
      const path = `/_sandbox/keys/${(await keyOf(own, name)).id}/move-traffic`;
      return (await own.call(path, { method: 'POST', body: { to } })).status;
    };
    const { id } = await keyOf(own, 'search-api');
    const [name, expired_time] = ['search-api v2', seconds(NOW + WEEK)];
    await own.updateKey({ id, name, unlimited_quota: true, expired_time });
    const taker = await own.createKey({ name: 'taker' });
    expect([await move('prod-gateway', taker.id), await move('taker', 0)]).toEqual([200, 404]);
    const disabled = (await keyOf(own, 'growth-mail')).id;
    expect((await own.call(`/_sandbox/keys/${disabled}/disable`, { method: 'POST' })).status).toBe(200);
    own.clock.now += 2 * WEEK;
    const later = own.sandbox.truth.rows(seconds(NOW) + 1, seconds(own.clock.now));
    const names = new Set(later.map(({ token }) => token));
    const shown = ['search-api', 'prod-gateway', 'growth-mail', name, 'taker'];
    expect(shown.filter((one) => names.has(one))).toEqual([name, 'taker']);
    const last = later.findLast(({ token }) => token === name)?.createdAt ?? 0;
    expect(last).toBeLessThan(expired_time);
    expect(last).toBeGreaterThan(expired_time - 86_400);
  });
});
