import { describe, expect, it } from 'vitest';
import { toMillis, unixSeconds } from '../../src/core/index.ts';
import { now, openGatewayFixture } from '../support/gateway-fixture.ts';
import { variantTable } from '../../src/sandbox/index.ts';

const end = unixSeconds(Math.floor(now / 1000));
const start = unixSeconds(end - 86_400);
const few = 'sk-admin-only-the-account';

const forms = variantTable.authentication_errors.values.flatMap((errors) =>
  variantTable.authentication_code.values.map((code) => [errors, code] as const),
);

/** Both exports answer CSV or something else, where the other endpoints always answer an envelope. */
describe.each(forms)('a refused export, signalled by %s with code %s', (errors, code) => {
  it('names the missing scope, shows no key and is requested at most twice (G2.7)', async () => {
    await using fixture = await openGatewayFixture({
      variants: { authentication_errors: errors, authentication_code: code, message_language: 'zh' },
      adminKeys: [
        { key: 'sk-admin-all', scopes: ['account:read'] },
        { key: few, scopes: ['account:read'] },
      ],
    });
    const reported = errors !== 'http-200' || code === 'present';
    for (const [key, codes] of [
      [few, reported ? ['gateway-scope-missing'] : ['gateway-refused']],
      // 403 without a code says as much of a wrong key as of a missing scope.
      ['sk-admin-made-up', reported ? ['gateway-key-refused', 'gateway-scope-missing'] : ['gateway-refused']],
    ] as const) {
      const gateway = fixture.gatewayWith(key);
      for (const [scope, call] of [
        ['logs:read', () => gateway.exportLogs({ start, end, columns: [], currency: 'USD' })],
        [
          'usage:read',
          () =>
            gateway.exportUsage({
              start: toMillis(start),
              end: toMillis(end),
              groupBy: 'model',
              metric: 'spend',
              granularity: 'day',
              topN: 10,
            }),
        ],
      ] as const) {
        fixture.sandbox.requests.clear();
        const error: unknown = await call().catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ name: 'Fault', exitCode: 1 });
        const { code: found, advice, message } = error as { code: string; advice: string; message: string };
        expect(codes).toContain(found);
        expect(advice + message).toContain(scope);
        expect(advice + message).not.toMatch(/made-up|only-the-account/);
        expect(fixture.sandbox.requests.all()).toHaveLength(reported ? 1 : 2);
      }
    }
  });
});
