import { describe, expect, it } from 'vitest';
import { money, toMillis, unixSeconds, zero } from '../../src/core/index.ts';
import type { Variants } from '../../src/sandbox/index.ts';
import {
  everyVariant,
  now,
  openGatewayFixture,
  pairedVariants,
  switched,
  textOf,
} from '../support/gateway-fixture.ts';
import { chaosFactor } from '../support/storm.ts';

const end = unixSeconds(Math.floor(now / 1000));
const start = unixSeconds(end - 3 * 86_400);
const spec = {
  name: 'contract-1',
  remainQuota: money('13'),
  unlimitedQuota: false,
  expiredTime: unixSeconds(end + 90_000),
  group: '',
} as const;

const ascending = (left: number, right: number): number => left - right;

const gateways: readonly (readonly [string, Partial<Variants>])[] =
  chaosFactor > 1
    ? everyVariant.map(([name, value]) => [`with ${name}=${value}`, switched(name, value)])
    : pairedVariants().map((variants, row) => [`of covering row ${row}`, variants]);

/** What every gateway of the family must do for the client, whatever its document leaves open. */
describe.each(gateways)('the client of a gateway %s', (_, variants) => {
  it('reads profile, statistics and both exports', async () => {
    await using fixture = await openGatewayFixture({ variants });
    const { gateway, sandbox } = fixture;
    const profile = await gateway.profile();
    expect(profile.username).not.toBe('');
    expect(profile.balance).toBe(money(profile.balance));

    const statistics = await gateway.statistics({ start, end });
    const unit = sandbox.variants.statistics_unit;
    const sums = sandbox.truth.sums(start, end, { unit });
    expect([money(sums.net), money(sums.consumption)]).toContain(statistics.quota);

    const log = await gateway.exportLogs({ start, end, columns: ['created_at', 'quota'], currency: 'USD' });
    const text = await textOf(log.body);
    expect(log.contentType).toBe('text/csv; charset=utf-8');
    expect(text.startsWith('\uFEFF')).toBe(true);
    expect(text.trim().split('\n').length).toBeGreaterThan(10);

    const usage = await gateway.exportUsage({
      start: toMillis(start),
      end: toMillis(end),
      groupBy: 'model',
      metric: 'spend',
      granularity: 'day',
      topN: 1000,
    });
    expect((await textOf(usage.body)).trim().split('\n').length).toBeGreaterThan(1);
  });

  it('lists every key once, and creates, reads, updates and deletes one (G8.17)', async () => {
    await using fixture = await openGatewayFixture({ variants });
    const { gateway, secrets } = fixture;
    const before = await gateway.listKeys();
    expect(new Set(before.map((key) => key.id)).size).toBe(before.length);
    expect(before.length).toBeGreaterThan(10);

    const created = await gateway.createKey(spec);
    expect(secrets.redact(`got ${created.key.reveal()}`)).toBe('got [secret]');
    const read = await gateway.readKey(created.id);
    expect(read).toMatchObject({
      id: created.id,
      name: spec.name,
      unlimitedQuota: false,
      expiredTime: spec.expiredTime,
    });
    expect(JSON.stringify(read)).not.toContain(created.key.reveal());
    expect((await gateway.listKeys()).map((key) => key.id).sort(ascending)).toEqual(
      [...before.map((key) => key.id), created.id].sort(ascending),
    );

    await gateway.updateKey({
      ...spec,
      id: created.id,
      name: 'contract-2',
      expiredTime: 'never',
      unlimitedQuota: true,
      remainQuota: zero,
    });
    expect(await gateway.readKey(created.id)).toMatchObject({
      name: 'contract-2',
      expiredTime: 'never',
      unlimitedQuota: true,
    });

    await gateway.deleteKey(created.id);
    expect((await gateway.listKeys()).map((key) => key.id).sort(ascending)).toEqual(
      before.map((key) => key.id).sort(ascending),
    );
    await expect(gateway.readKey(created.id)).rejects.toMatchObject({ name: 'Fault', exitCode: 1 });
  });

  it('reports a refused key and a missing scope without showing the key (G2.7)', async () => {
    const adminKeys = [
      {
        key: 'sk-admin-all-the-scopes',
        scopes: ['account:read', 'logs:read', 'usage:read', 'keys:read', 'keys:write'],
      },
      { key: 'sk-admin-only-the-account', scopes: ['account:read'] },
    ] as const;
    await using fixture = await openGatewayFixture({ variants, adminKeys });
    const refusal = await fixture
      .gatewayWith('sk-admin-made-up')
      .profile()
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'Fault', retryHelps: false });
    const scope = await fixture
      .gatewayWith('sk-admin-only-the-account')
      .statistics({ start, end })
      .catch((error: unknown) => error);
    expect(scope).toMatchObject({ name: 'Fault', retryHelps: false });
    expect(String(scope)).toContain('logs:read');
    expect(`${String(refusal)}${String(scope)}`).not.toMatch(/made-up|only-the-account/);
  });
});
