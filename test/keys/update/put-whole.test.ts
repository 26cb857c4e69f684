import { describe, expect, it } from 'vitest';
import { money, toSeconds, unixSeconds, type Money } from '../../../src/core/index.ts';
import type { ApiKey, Gateway, KeySpec } from '../../../src/gateway/index.ts';
import {
  needsProbe,
  nothingKnown,
  updateFields,
  updateKnowledge,
  type UpdateKnowledge,
} from '../../../src/keys/update/knowledge.ts';
import { putWhole, type UpdateExpectations } from '../../../src/keys/update/put-whole.ts';
import type { LearnedPoint } from '../../../src/warehouse/index.ts';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { openGatewayFixture, type GatewayFixture } from '../../support/gateway-fixture.ts';

const knows = (unit: 'currency' | 'units', omits: 'keep' | 'replace' = 'replace'): UpdateKnowledge => ({
  kept: new Set(omits === 'keep' ? updateFields : []),
  probed: true,
  unit: unit === 'currency' ? { kind: 'currency' } : { kind: 'units', perCurrency: money('500000') },
});

const expecting = (
  fixture: GatewayFixture,
  knowledge: UpdateKnowledge,
  more: Partial<UpdateExpectations> = {},
): UpdateExpectations => ({ knowledge, clock: fixture.clock, signal: AbortSignal.timeout(30_000), ...more });

const put = (
  fixture: GatewayFixture,
  id: number,
  change: Parameters<typeof putWhole>[2],
  ...expected: [UpdateKnowledge, Partial<UpdateExpectations>?]
) => putWhole(fixture.gateway, id, change, expecting(fixture, ...expected));

const inUnits = (unit: 'currency' | 'units', amount: string): Money =>
  money(unit === 'currency' ? amount : String(Number(amount) * 500_000));

const made = async (
  fixture: GatewayFixture,
  unit: 'currency' | 'units',
  spec: Partial<KeySpec> = {},
): Promise<number> => {
  const { id } = await fixture.gateway.createKey({
    name: 'billing.g1',
    remainQuota: inUnits(unit, '10'),
    unlimitedQuota: false,
    expiredTime: 'never',
    group: 'vip',
    ...spec,
  });
  return id;
};

const open = (variants: NonNullable<SandboxOptions['variants']> = {}): Promise<GatewayFixture> =>
  openGatewayFixture({ variants });

const puts = (fixture: GatewayFixture): readonly unknown[] =>
  fixture.sandbox.requests
    .all()
    .filter(({ method }) => method === 'PUT')
    .map(({ body }) => body);

/** Takes from a key what calls would, in the currency. */
const spend = (fixture: GatewayFixture, id: number, amount: bigint): void => {
  const key = fixture.sandbox.state.keys.get(id);
  if (key === undefined) throw new Error(`no key ${id}`);
  key.remain -= amount * 1_000_000n;
  key.spentSinceRead += amount * 1_000_000n;
};

const wholeKey = ['expired_time', 'group', 'id', 'name', 'remain_quota', 'unlimited_quota'];

describe('an update of a key', () => {
  for (const update of ['replace', 'keep'] as const)
    for (const update_quota of ['overwrite', 'keep-spend'] as const)
      for (const quota_request_unit of ['currency', 'units'] as const)
        it(`changes only the requested field: ${update}, ${update_quota}, ${quota_request_unit}`, async () => {
          await using fixture = await open({ update, update_quota, quota_request_unit });
          const id = await made(fixture, quota_request_unit);
          const before = await fixture.gateway.readKey(id);
          const end = unixSeconds(toSeconds(fixture.clock.now()) + 86_400);
          const expectations = expecting(fixture, knows(quota_request_unit, update));
          const ended = await putWhole(fixture.gateway, id, { expiredTime: end }, expectations);
          expect(ended).toMatchObject({ sent: true, spent: '0', before });
          expect(await fixture.gateway.readKey(id)).toEqual({ ...before, expiredTime: end });
          const lowered = await putWhole(fixture.gateway, id, { remainQuota: money('7.25') }, expectations);
          expect(lowered.after).toEqual({ ...before, expiredTime: end, remainQuota: '7.25' });
          const sentFields = puts(fixture).map((body) => Object.keys(body as object).sort());
          expect(sentFields).toEqual(
            update === 'keep'
              ? [
                  ['expired_time', 'id'],
                  ['id', 'remain_quota'],
                ]
              : [expect.arrayContaining(wholeKey), expect.arrayContaining(wholeKey)],
          );
          const again = await putWhole(fixture.gateway, id, { remainQuota: money('7.25') }, expectations);
          expect(again).toMatchObject({ sent: false });
          expect(puts(fixture)).toHaveLength(2);
        });

  it('measures concurrent spend to the last digit (G8.13)', async () => {
    for (const variants of [{ update: 'keep' }, { update_quota: 'keep-spend' }] as const) {
      await using fixture = await open(variants);
      const id = await made(fixture, 'currency');
      const spending: Pick<Gateway, 'readKey' | 'patchKey'> = {
        readKey: fixture.gateway.readKey,
        patchKey: async (patch, options) => {
          spend(fixture, id, 123n);
          await fixture.gateway.patchKey(patch, options);
        },
      };
      const end = unixSeconds(toSeconds(fixture.clock.now()) + 60);
      const omits = 'update' in variants ? 'keep' : 'replace';
      const expectations = expecting(fixture, knows('currency', omits));
      const done = await putWhole(spending, id, { expiredTime: end }, expectations);
      expect(done).toMatchObject({ spent: '1.23', after: { remainQuota: '8.77' } });
      expect(done.measured).toContain('remain_quota 10 before, 8.77 after, 1.23 spent meanwhile');
    }
  });

  it('of an unlimited key needs no unit, since its remaining quota means nothing', async () => {
    for (const update of ['replace', 'keep'] as const) {
      await using fixture = await open({ update });
      const id = await made(fixture, 'currency', { unlimitedQuota: true, remainQuota: money('1') });
      const end = unixSeconds(toSeconds(fixture.clock.now()) + 86_400);
      const unknown: UpdateKnowledge = { kept: new Set(), probed: true };
      const done = await put(fixture, id, { expiredTime: end }, unknown);
      expect(done).toMatchObject({
        sent: true,
        spent: '0',
        after: { expiredTime: end, unlimitedQuota: true },
      });
      expect(puts(fixture)).toMatchObject([{ remain_quota: 0, unlimited_quota: true }]);
      // Where it is to count from now on, it has to be said right.
      await expect(
        put(fixture, id, { unlimitedQuota: false, remainQuota: money('1') }, unknown),
      ).rejects.toMatchObject({ code: 'key-unit-unknown' });
      expect(puts(fixture)).toHaveLength(1);
    }
  });

  it('gives nothing back when it is repeated with neverRaise', async () => {
    await using fixture = await open();
    const id = await made(fixture, 'currency');
    const expectations = expecting(fixture, knows('currency'), { neverRaise: true });
    await putWhole(fixture.gateway, id, { remainQuota: money('4') }, expectations);
    spend(fixture, id, 100n);
    const again = await putWhole(fixture.gateway, id, { remainQuota: money('4') }, expectations);
    expect(again).toMatchObject({ sent: false, after: { remainQuota: '3' } });
  });

  it('sends nothing if the unit is unknown or cannot express the amount', async () => {
    await using fixture = await open({ quota_request_unit: 'units' });
    const id = await made(fixture, 'units');
    const change = { expiredTime: unixSeconds(toSeconds(fixture.clock.now()) + 60) };
    await expect(put(fixture, id, change, nothingKnown)).rejects.toMatchObject({ code: 'key-unit-unknown' });
    const fine = { remainQuota: money('1.00005') };
    await expect(put(fixture, id, fine, knows('units'))).rejects.toMatchObject({ code: 'key-quota-inexact' });
    expect(puts(fixture)).toEqual([]);
    const down = expecting(fixture, knows('units'), { inexact: 'down' });
    expect(await putWhole(fixture.gateway, id, fine, down)).toMatchObject({ after: { remainQuota: '1' } });
  });
});

describe('an update without an answer', () => {
  it.each(['lost-answer', 'reset'] as const)('is settled by reading again: %s', async (kind) => {
    await using fixture = await open();
    const id = await made(fixture, 'currency');
    const end = unixSeconds(toSeconds(fixture.clock.now()) + 60);
    fixture.sandbox.faults.plant({ kind, method: 'PUT' });
    const doing = put(fixture, id, { expiredTime: end }, knows('currency'));
    if (kind === 'lost-answer')
      expect(await doing).toMatchObject({
        sent: true,
        measured: expect.stringContaining('was lost') as string,
      });
    else
      await expect(doing).rejects.toMatchObject({
        code: 'gateway-connection-lost',
        retryHelps: true,
        message: expect.stringContaining('nothing was changed') as string,
      });
    expect((await fixture.gateway.readKey(id)).expiredTime).toBe(kind === 'reset' ? 'never' : end);
  });

  it('is reported as unsettled if the key cannot be read again', async () => {
    await using fixture = await open();
    const id = await made(fixture, 'currency');
    fixture.sandbox.faults.plant({ kind: 'lost-answer', method: 'PUT' });
    fixture.sandbox.faults.plant({ kind: 'status', status: 500, method: 'GET', skip: 1, times: 20 });
    await expect(put(fixture, id, { name: 'b' }, knows('currency'))).rejects.toMatchObject({
      code: 'key-update-unsettled',
      retryHelps: true,
    });
  });

  it('changes nothing if the gateway refused it', async () => {
    await using fixture = await open();
    const id = await made(fixture, 'currency');
    fixture.sandbox.faults.plant({ kind: 'envelope', method: 'PUT' });
    await expect(put(fixture, id, { name: 'b' }, knows('currency'))).rejects.toMatchObject({
      code: 'gateway-refused',
      retryHelps: false,
    });
    await expect(put(fixture, 999_999, { name: 'b' }, knows('currency'))).rejects.toMatchObject({
      code: 'gateway-not-found',
    });
    expect(fixture.clock.waits.filter((wait) => wait >= 500)).toEqual([]);
  });
});

const groupLost = {
  code: 'key-update-harmed',
  message: expect.stringMatching(/: group \(vip is now default\); .* restored$/) as string,
};

/** A gateway that loses the group with the first update, after which calls spend so much. */
const harmedOnce = (
  fixture: GatewayFixture,
  id: number,
  spent: bigint,
): Pick<Gateway, 'readKey' | 'patchKey'> => {
  let done = 0;
  return {
    readKey: fixture.gateway.readKey,
    patchKey: async (patch, options) => {
      done += 1;
      await fixture.gateway.patchKey(done === 1 ? { ...patch, group: 'default' } : patch, options);
      if (done === 1) spend(fixture, id, spent);
    },
  };
};

describe('a harmful update', () => {
  const harmOf = async (fixture: GatewayFixture, id: number, expectations: UpdateExpectations) => {
    const before = await fixture.gateway.readKey(id);
    const change = { expiredTime: unixSeconds(toSeconds(fixture.clock.now()) + 60) };
    const error: unknown = await putWhole(fixture.gateway, id, change, expectations).catch(
      (thrown: unknown) => thrown,
    );
    return { before, error, after: await fixture.gateway.readKey(id) };
  };

  it('is named and fixed if the gateway zeroes a field that it was known to keep', async () => {
    await using fixture = await open({ update: 'replace' });
    const id = await made(fixture, 'currency');
    const kept = new Set(['remain_quota', 'group'] as const);
    const points: LearnedPoint[] = [];
    const expectations = expecting(
      fixture,
      { ...knows('currency'), kept },
      { distrust: async (alert) => void points.push(...alert) },
    );
    const { before, error, after } = await harmOf(fixture, id, expectations);
    expect(error).toMatchObject({
      code: 'key-update-harmed',
      message: expect.stringMatching(
        /: group \(vip is now default\), .*_quota \(10 is now 0\); .* restored$/,
      ) as string,
    });
    expect(after).toEqual(before);
    // It is not believed any longer, and is to be learned again.
    expect(points).toMatchObject([
      {
        point: 'key.update_omits',
        value: 'replace',
        how: 'data',
        evidence: expect.stringMatching(
          new RegExp(`${id} with name, unlimited_quota, expired_time also changed group, remain_quota$`),
        ) as string,
      },
      { point: 'key.quota_unit', value: expect.stringMatching(/^open/) as string },
    ]);
    expect(needsProbe(updateKnowledge(points))).toBe(true);
    expect(updateKnowledge(points).kept.size).toBe(0);
  });

  it('that cannot be fixed is reported with the remaining differences', async () => {
    await using fixture = await open({ update: 'replace' });
    const id = await made(fixture, 'currency');
    fixture.sandbox.faults.plant({ kind: 'reset', method: 'PUT', skip: 1, times: 9 });
    const expectations = expecting(fixture, { ...knows('currency'), kept: new Set(['group'] as const) });
    const { error, after } = await harmOf(fixture, id, expectations);
    expect(error).toMatchObject({
      code: 'key-update-harmed',
      message: expect.stringContaining('could not be restored') as string,
    });
    expect(after.group).toBe('default');
  });

  it.each([
    ['takes it for next to nothing', 'units', 'currency', /remain_quota \(10 is now 0\)/, undefined],
    ['inflates it', 'currency', 'units', /remain_quota \(10 is now 5000000\); .* restored$/, '10'],
  ] as const)(
    'by a wrongly learned unit that %s is detected, and restored as far as possible',
    async (...row) => {
      const [, quota_request_unit, learned, message, left] = row;
      await using fixture = await open({ quota_request_unit });
      const id = await made(fixture, quota_request_unit);
      const { error, after } = await harmOf(fixture, id, expecting(fixture, knows(learned)));
      expect(error).toMatchObject({
        code: 'key-update-harmed',
        message: expect.stringMatching(message) as string,
      });
      if (left !== undefined) expect(after.remainQuota).toBe(left);
    },
  );

  it('never gives back more than requested: a group is lost while a quota is lowered and spent', async () => {
    await using fixture = await open();
    const id = await made(fixture, 'currency');
    const harming = harmedOnce(fixture, id, 40n);
    await expect(
      putWhole(harming, id, { remainQuota: money('0.5') }, expecting(fixture, knows('currency'))),
    ).rejects.toMatchObject(groupLost);
    expect(await fixture.gateway.readKey(id)).toMatchObject({ group: 'vip', remainQuota: '0.1' });
  });

  it('of another field is fixed in the known unit, although the key was refunded meanwhile', async () => {
    await using fixture = await open({ quota_request_unit: 'units' });
    const id = await made(fixture, 'units');
    const harming = harmedOnce(fixture, id, -5n);
    const change = { expiredTime: unixSeconds(toSeconds(fixture.clock.now()) + 86_400) };
    await expect(putWhole(harming, id, change, expecting(fixture, knows('units')))).rejects.toMatchObject(
      groupLost,
    );
    expect(await fixture.gateway.readKey(id)).toMatchObject({ group: 'vip', remainQuota: '10' });
  });

  it('is distinguished from an update without effect', async () => {
    await using fixture = await open();
    const id = await made(fixture, 'currency');
    const deaf = { readKey: fixture.gateway.readKey, patchKey: () => Promise.resolve() };
    await expect(
      putWhole(deaf, id, { name: 'b' }, expecting(fixture, knows('currency'))),
    ).rejects.toMatchObject({ code: 'key-update-ineffective' });
    await expect(
      putWhole(deaf, id, { remainQuota: money('12') }, expecting(fixture, knows('currency'))),
    ).rejects.toMatchObject({ code: 'key-update-ineffective' });
  });
});

describe('a delayed read', () => {
  it('is awaited', async () => {
    await using fixture = await open();
    const id = await made(fixture, 'currency');
    const old: ApiKey = await fixture.gateway.readKey(id);
    let stale = 3;
    const cached: Pick<Gateway, 'readKey' | 'patchKey'> = {
      patchKey: fixture.gateway.patchKey,
      readKey: async (wanted, options) => {
        stale -= 1;
        return stale >= 0 ? old : fixture.gateway.readKey(wanted, options);
      },
    };
    const done = await putWhole(cached, id, { name: 'late' }, expecting(fixture, knows('currency')));
    expect(done.after.name).toBe('late');
    expect(fixture.clock.waits).toEqual([500, 1500]);
  });
});
