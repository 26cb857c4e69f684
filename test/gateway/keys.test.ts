import { describe, expect, it } from 'vitest';
import { toSeconds, unixSeconds } from '../../src/core/index.ts';
import { ok, scriptedGateway, spec } from './support/scripted-gateway.ts';

describe('a key is rejected before any request', () => {
  it('when its name has more than 50 bytes, though it may have 50 characters (G8.9, G8.9.name)', async () => {
    const { gateway, seen } = await scriptedGateway([ok({ id: 1, key: 'sk-0123456789abc' })]);
    for (const name of ['x'.repeat(51), 'é'.repeat(26), '钥'.repeat(17)]) {
      await expect(gateway.createKey({ ...spec, name })).rejects.toMatchObject({ code: 'key-spec-invalid' });
      await expect(gateway.updateKey({ ...spec, id: 1, name })).rejects.toMatchObject({
        code: 'key-spec-invalid',
      });
    }
    expect(seen).toEqual([]);
    for (const name of ['x'.repeat(50), 'é'.repeat(25)]) await gateway.createKey({ ...spec, name });
    expect(seen).toHaveLength(2);
  });

  it('when it would be expired at creation, while an update may write a past expiry back (G8.11)', async () => {
    const { gateway, seen, clock } = await scriptedGateway([ok({ id: 1, key: 'sk-0123456789abc' })]);
    const now = toSeconds(clock.now());
    for (const expiredTime of [unixSeconds(0), unixSeconds(now - 1), now])
      await expect(gateway.createKey({ ...spec, expiredTime })).rejects.toMatchObject({
        code: 'key-spec-invalid',
      });
    expect(seen).toEqual([]);
    await gateway.createKey({ ...spec, expiredTime: unixSeconds(now + 1) });
    await gateway.updateKey({ ...spec, id: 1, expiredTime: unixSeconds(now - 1) });
    expect(seen).toHaveLength(2);
  });
});

describe('a key read from the gateway', () => {
  it('may omit fields that the contract does not promise for a single key', async () => {
    const bare = { id: 1, name: 'a', remain_quota: 0, unlimited_quota: true, expired_time: 0 };
    const { gateway } = await scriptedGateway([ok(bare)]);
    expect(await gateway.readKey(1)).toEqual({
      id: 1,
      name: 'a',
      keyMask: undefined,
      status: undefined,
      remainQuota: '0',
      unlimitedQuota: true,
      expiredTime: 0,
      group: undefined,
      createdTime: undefined,
      rest: {},
    });
  });

  it('represents null as a missing value', async () => {
    const { gateway } = await scriptedGateway([
      ok({ items: null, page: null, page_size: null, total: null }),
    ]);
    expect(await gateway.keyPage({ page: 1, pageSize: 10 })).toEqual({
      items: [],
      page: undefined,
      pageSize: undefined,
      total: undefined,
    });
  });
});
