import { describe, expect, it } from 'vitest';
import { fault, hasCode, isFault, money, toSeconds, unixSeconds } from '../../../src/core/index.ts';
import type { Gateway } from '../../../src/gateway/index.ts';
import { knownUnit, needsProbe, updateFields, updateKnowledge } from '../../../src/keys/update/knowledge.ts';
import { probeKeyUpdates, probeService, type ProbeKeys } from '../../../src/keys/update/probe.ts';
import { putWhole } from '../../../src/keys/update/put-whole.ts';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import type { LearnedPoint } from '../../../src/warehouse/index.ts';
import { openGatewayFixture, type GatewayFixture } from '../../support/gateway-fixture.ts';

/** Makes keys as a journal does: each under a name of its own that is written down before, cleared away by the list. */
const journalled = (gateway: Gateway): ProbeKeys & { readonly clear: () => Promise<void> } => {
  const planned: string[] = [];
  const clear = async (): Promise<void> => {
    for (const { id, name } of await gateway.listKeys())
      if (planned.includes(name)) await gateway.deleteKey(id).catch(() => undefined);
  };
  return {
    clear,
    createProbeKey: async (spec, signal) => {
      for (let attempt = 1; ; attempt += 1) {
        const name = `${probeService}.g${planned.length + 1}`;
        planned.push(name);
        try {
          return await gateway.createKey({ ...spec, name }, { signal });
        } catch (error) {
          if (attempt === 3 || !isFault(error) || hasCode(error, 'gateway-scope-missing')) throw error;
          await clear();
        }
      }
    },
    deleteProbeKey: clear,
  };
};

const probe = async (
  fixture: GatewayFixture,
  gateway: Gateway = fixture.gateway,
  signal: AbortSignal = AbortSignal.timeout(30_000),
) => {
  const keys = journalled(gateway);
  const learned: LearnedPoint[] = [];
  const learn = async (points: readonly LearnedPoint[]): Promise<void> => void learned.push(...points);
  const points = await probeKeyUpdates({ gateway, keys, clock: fixture.clock, signal, learn });
  expect(learned).toEqual(points);
  return points;
};

const left = (fixture: GatewayFixture): readonly string[] =>
  fixture.sandbox.state.keys
    .all()
    .map(({ name }) => name)
    .filter((name) => name.startsWith(probeService));

const valueOf = (points: readonly LearnedPoint[], wanted: string): string | undefined =>
  points.find(({ point }) => point === wanted)?.value;

type Variants = NonNullable<SandboxOptions['variants']>;

const others: readonly Variants[] = [
  {},
  { zero_expiry: 'never', past_expiry: 'refused' },
  { page_size_cap: '100', page_total: 'zero', page_order: 'oldest-first', key_status: 'never' },
  { business_errors: 'http-400', missing_id: 'database-text', message_language: 'zh' },
  {
    update_quota: 'keep-spend',
    key_status: 'late',
    rate_limit: 'on',
    key_prefix: 'none',
    name_limit: 'bytes',
  },
];

describe('a temporary key', () => {
  for (const update of ['replace', 'keep'] as const)
    for (const quota_request_unit of ['currency', 'units'] as const)
      it(`shows ${update} and ${quota_request_unit} under every other variant, and is deleted`, async () => {
        for (const variants of others) {
          await using fixture = await openGatewayFixture({
            variants: { ...variants, update, quota_request_unit },
          });
          const points = await probe(fixture);
          expect(valueOf(points, 'key.update_omits')).toBe(update);
          expect(valueOf(points, 'key.quota_unit')).toBe(
            quota_request_unit === 'currency' ? 'currency' : 'units:500000',
          );
          expect(valueOf(points, 'key.zero_expiry')).toBe(update === 'keep' ? undefined : 'expired');
          for (const { how, evidence } of points) {
            expect(how).toBe('probe');
            expect(evidence).toMatch(/temporary key/);
          }
          expect(left(fixture)).toEqual([]);
          expect(fixture.sandbox.requests.writes()).toBeLessThanOrEqual(8);

          // What was learned serves the next update.
          const knowledge = updateKnowledge(points);
          expect(needsProbe(knowledge)).toBe(false);
          expect([...knowledge.kept]).toEqual(update === 'keep' ? updateFields : []);
          const [any] = (await fixture.gateway.listKeys()).filter(({ unlimitedQuota }) => !unlimitedQuota);
          const { id, remainQuota } = any ?? { id: 0, remainQuota: money('0') };
          const expectations = { knowledge, clock: fixture.clock, signal: AbortSignal.timeout(30_000) };
          const done = await putWhole(fixture.gateway, id, { name: 'renamed' }, expectations);
          expect(done.after).toEqual({ ...any, name: 'renamed', remainQuota });
        }
      });

  it('whose group cannot be distinguished from the default leaves group to be sent', async () => {
    await using fixture = await openGatewayFixture({ variants: { update: 'keep' } });
    const oneGroup: Gateway = {
      ...fixture.gateway,
      listKeys: async (options) =>
        (await fixture.gateway.listKeys(options)).map((key) => ({ ...key, group: 'default' })),
    };
    const points = await probe(fixture, oneGroup);
    expect(valueOf(points, 'key.update_omits')).toBe(
      'mixed: keeps name, remain_quota, unlimited_quota, expired_time',
    );
    expect(updateKnowledge(points).kept.has('group')).toBe(false);
  });

  it('that requires a name is updated with it', async () => {
    await using fixture = await openGatewayFixture({ variants: { update: 'keep' } });
    const strict: Gateway = {
      ...fixture.gateway,
      patchKey: async (patch, options) => {
        if (patch.name === undefined) throw fault('gateway-refused', 'the name is missing');
        await fixture.gateway.patchKey(patch, options);
      },
    };
    const points = await probe(fixture, strict);
    expect(valueOf(points, 'key.update_omits')).toBe(
      'mixed: keeps remain_quota, unlimited_quota, expired_time, group',
    );
    const knowledge = updateKnowledge(points);
    const [any] = (await fixture.gateway.listKeys()).filter(
      ({ unlimitedQuota, status }) => !unlimitedQuota && status === 1,
    );
    const id = any?.id ?? 0;
    const expectations = { knowledge, clock: fixture.clock, signal: AbortSignal.timeout(30_000) };
    const end = unixSeconds(toSeconds(fixture.clock.now()) + 60);
    expect((await putWhole(strict, id, { expiredTime: end }, expectations)).after).toEqual({
      ...any,
      expiredTime: end,
    });
    const sent = fixture.sandbox.requests.all().findLast(({ method }) => method === 'PUT')?.body;
    expect(Object.keys(sent as object).sort()).toEqual(['expired_time', 'id', 'name']);
  });

  it('on a gateway that explains nothing leaves the unit open', async () => {
    await using fixture = await openGatewayFixture();
    const odd: Gateway = {
      ...fixture.gateway,
      readKey: async (id, options) => ({
        ...(await fixture.gateway.readKey(id, options)),
        remainQuota: money('7'),
      }),
    };
    const points = await probe(fixture, odd);
    expect(valueOf(points, 'key.quota_unit')).toMatch(/^open/);
    // It is not asked again by itself, and no amount is written.
    expect(needsProbe(updateKnowledge(points))).toBe(false);
    expect(() => knownUnit(updateKnowledge(points), 'a key')).toThrow(
      expect.objectContaining({ code: 'key-unit-unknown' }),
    );
    expect(needsProbe(updateKnowledge([]))).toBe(true);
    expect(updateKnowledge(points).kept.has('remain_quota')).toBe(false);
  });

  it('is never assumed to have kept a field that was never written', async () => {
    await using fixture = await openGatewayFixture({ variants: { update: 'replace' } });
    const deaf: Gateway = { ...fixture.gateway, patchKey: () => Promise.resolve() };
    const points = await probe(fixture, deaf);
    expect(valueOf(points, 'key.update_omits')).toBe('replace');
    expect(points.find(({ point }) => point === 'key.update_omits')?.evidence).toMatch(
      /never seen to take effect/,
    );
  });
});

describe('lost answers', () => {
  for (const update of ['replace', 'keep'] as const)
    for (const kind of ['lost-answer', 'reset'] as const)
      it(`do not change the result at any step: ${update}, ${kind}`, async () => {
        await using fixture = await openGatewayFixture({ variants: { update } });
        for (const [method, skips] of [
          ['POST', 1],
          ['PUT', 5],
          ['GET', 4],
          ['DELETE', 1],
        ] as const)
          for (let skip = 0; skip < skips; skip += 1) {
            fixture.sandbox.faults.clear();
            fixture.sandbox.faults.plant({ kind, method, skip, path: '/api/token/' });
            const keys = journalled(fixture.gateway);
            const points = await probe(fixture);
            expect(valueOf(points, 'key.update_omits'), `${method} ${skip}`).toBe(update);
            expect(valueOf(points, 'key.quota_unit')).toBe('currency');
            await keys.clear();
          }
        fixture.sandbox.faults.clear();
        // A delete that never arrived is for the next run.
        for (const { id, name } of await fixture.gateway.listKeys())
          if (name.startsWith(probeService)) await fixture.gateway.deleteKey(id);
        expect(left(fixture)).toEqual([]);
      });
});

describe('a failed probe', () => {
  it('deletes its key, and throws the original error', async () => {
    await using fixture = await openGatewayFixture();
    fixture.sandbox.faults.plant({ kind: 'rate-limit', method: 'PUT', times: 9 });
    await expect(probe(fixture)).rejects.toMatchObject({ code: 'gateway-rate-limited' });
    expect(left(fixture)).toEqual([]);
  });

  it('deletes its key when it is stopped', async () => {
    await using fixture = await openGatewayFixture();
    const stop = new AbortController();
    const stopping: Gateway = {
      ...fixture.gateway,
      patchKey: async (patch, options) => {
        await fixture.gateway.patchKey(patch, options);
        stop.abort(new Error('stopped'));
      },
    };
    await expect(probe(fixture, stopping, stop.signal)).rejects.toThrow('stopped');
    expect(left(fixture)).toEqual([]);
  });

  it('creates nothing without the scope', async () => {
    await using fixture = await openGatewayFixture({
      adminKeys: [{ key: 'sk-admin-reader', scopes: ['keys:read'] }],
    });
    await expect(probe(fixture)).rejects.toMatchObject({ code: 'gateway-scope-missing' });
  });
});
