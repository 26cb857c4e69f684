import { describe, expect, it } from 'vitest';
import { money, unixSeconds, zero } from '../../src/core/index.ts';
import { everyVariant, now, openGatewayFixture, switched } from '../support/gateway-fixture.ts';
import { sampled } from '../support/storm.ts';

const spec = {
  name: 'contract',
  remainQuota: zero,
  unlimitedQuota: true,
  expiredTime: 'never',
  group: '',
} as const;
const variantsOf = (pattern: RegExp) => everyVariant.filter(([name]) => pattern.test(name));

describe.each(sampled(variantsOf(/^page_/), 3))('more keys than a page holds, with %s=%s', (name, value) => {
  it('are each listed once, also after some are deleted', async () => {
    await using fixture = await openGatewayFixture({ variants: switched(name, value) });
    const { gateway } = fixture;
    const ids = new Set((await gateway.listKeys()).map((key) => key.id));
    const made: number[] = [];
    for (let count = 0; count < 205; count += 1) made.push((await gateway.createKey(spec)).id);
    const all = (await gateway.listKeys()).map((key) => key.id);
    expect(all).toHaveLength(ids.size + made.length);
    expect(new Set(all)).toEqual(new Set([...ids, ...made]));
    for (const id of made.splice(0, 30)) await gateway.deleteKey(id);
    const left = (await gateway.listKeys()).map((key) => key.id);
    expect(left).toHaveLength(ids.size + made.length);
    expect(new Set(left)).toEqual(new Set([...ids, ...made]));
  });
});

describe.each(
  variantsOf(/^(missing_id|business_errors|message_language|key_cap|name_limit|update.*|past_.*)$/),
)('what a gateway with %s=%s refuses', (name, value) => {
  it('is an error of the catalogue, and nothing is changed by it (G8.15)', async () => {
    await using fixture = await openGatewayFixture({ variants: switched(name, value) });
    const { gateway } = fixture;
    const before = await gateway.listKeys();
    const gone = before.reduce((most, key) => Math.max(most, key.id), 0) + 1000;
    for (const refused of [
      () => gateway.readKey(gone),
      () => gateway.deleteKey(gone),
      () => gateway.updateKey({ ...spec, id: gone }),
      () => gateway.createKey({ ...spec, name: '' }),
      () => gateway.createKey({ ...spec, unlimitedQuota: false, remainQuota: money('-1') }),
    ])
      await expect(refused()).rejects.toMatchObject({ name: 'Fault', exitCode: 1 });
    expect(await gateway.listKeys()).toEqual(before);
  });

  it('is never a whole key written back: it stays as it was, field by field', async () => {
    await using fixture = await openGatewayFixture({ variants: switched(name, value) });
    const { gateway } = fixture;
    const { id } = await gateway.createKey({
      ...spec,
      name: 'é'.repeat(25),
      remainQuota: money('12.5'),
      unlimitedQuota: false,
      expiredTime: unixSeconds(Math.floor(now / 1000) + 3600),
      group: 'vip',
    });
    const read = await gateway.readKey(id);
    await gateway.updateKey({ ...read, group: read.group ?? '' });
    expect(await gateway.readKey(id)).toEqual(read);
  });
});

describe.each(variantsOf(/^rate_limit$/))(
  'more requests than a gateway with %s=%s may allow',
  (name, value) => {
    it('are all answered eventually, with pauses between requests (G3.3)', async () => {
      await using fixture = await openGatewayFixture({ variants: switched(name, value) });
      const { gateway, sandbox, clock } = fixture;
      for (let count = 0; count < 400; count += 1) await gateway.readKey(101);
      const refused = sandbox.requests.all().filter(({ status }) => status === 429).length;
      expect(refused).toBeLessThanOrEqual(6);
      expect(refused > 0).toBe(value === 'on');
      expect(clock.waits.every((wait) => wait >= 60_000)).toBe(true);
    });
  },
);
