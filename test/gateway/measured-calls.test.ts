import { expect, it } from 'vitest';
import { createSecretRegistry, silentLog, type Measurement } from '../../src/core/index.ts';
import { createGateway } from '../../src/gateway/index.ts';
import { createHttp } from '../../src/http/index.ts';
import { openGatewayFixture } from '../support/gateway-fixture.ts';

it('a call is measured under the template of its path, without the ID of a key', async () => {
  await using fixture = await openGatewayFixture();
  const measured: Measurement[] = [];
  const secrets = createSecretRegistry();
  await using http = createHttp({
    userAgent: 'tollkeeper/test',
    env: {},
    timeouts: { connect: 5000, headers: 20_000, idle: 20_000, total: 60_000 },
  });
  const gateway = createGateway({
    baseUrl: fixture.sandbox.baseUrl,
    adminKey: secrets.register(fixture.sandbox.adminKey),
    http,
    clock: fixture.clock,
    random: () => 0,
    log: silentLog,
    secrets,
    measure: (one) => void measured.push(one),
  });
  const [key] = await gateway.listKeys();
  if (key === undefined) throw new Error('the sandbox has no key');
  await gateway.readKey(key.id);
  await gateway.readKey(987_654_321).catch(() => undefined);
  await gateway.deleteKey(key.id);
  const { origin } = new URL(fixture.sandbox.baseUrl);
  const call = { what: 'gateway-call', origin, status: 200, outcome: 'ok' };
  expect(measured).toMatchObject([
    { ...call, endpoint: 'GET /api/token/' },
    { ...call, endpoint: 'GET /api/token/{id}' },
    { endpoint: 'GET /api/token/{id}', outcome: expect.stringMatching(/^gateway-/) },
    { ...call, endpoint: 'DELETE /api/token/{id}' },
  ]);
});
