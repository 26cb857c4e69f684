import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createTraffic } from './control.ts';
import { createFaults } from './faults.ts';
import { handedOut, newSecret } from './keys.ts';
import { createRequests } from './requests.ts';
import { createGatewayServer } from './server.ts';
import { createState, scopes, type AccountOptions, type Scope } from './state.ts';
import { createTruth } from './truth.ts';
import { withDefaults, type Variants } from './variants.ts';

export type SandboxOptions = AccountOptions & {
  /** Numbers in [0, 1) for the plaintext of keys; defaults to the secure source of the system. */
  readonly random?: () => number;
  /** Defaults to 127.0.0.1. */
  readonly host?: string;
  /** Defaults to 0, any free port. */
  readonly port?: number;
  /** PEM texts; enables https. */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly variants?: Partial<Variants>;
  /** Defaults to a random one; each has all five scopes unless it lists its own. */
  readonly adminKeys?: readonly { readonly key: string; readonly scopes?: readonly Scope[] | undefined }[];
};

/** Milliseconds. */
const TICK = 250;

const secureRandom = (): number => randomInt(2 ** 32) / 2 ** 32;

/**
 * Starts the sandbox gateway (docs/gateway.md).
 * @throws RangeError for an unknown variant, or the system error when the port is in use.
 */
export const startSandbox = async (options: SandboxOptions) => {
  const random = options.random ?? secureRandom;
  const adminKeys = (options.adminKeys ?? [{ key: `sk-admin-${newSecret(random)}` }]).map((admin) => ({
    key: admin.key,
    scopes: admin.scopes ?? scopes,
  }));
  const [first] = adminKeys;
  if (first === undefined) throw new RangeError('the sandbox needs one Admin Key at least');
  for (const { key } of adminKeys) handedOut(key);
  const variants = withDefaults(options.variants ?? {});
  const state = createState({ ...options, variants, random, adminKeys });
  const gateway = {
    state,
    faults: createFaults(),
    requests: createRequests(),
    truth: createTruth(state),
    traffic: createTraffic(state),
  };
  const server = createGatewayServer(gateway, options.tls);
  // Callbacks and refunds become due without requests, too.
  const ticking = setInterval(() => state.later.catchUp(), TICK);
  ticking.unref();
  const host = options.host ?? '127.0.0.1';
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const scheme = options.tls === undefined ? 'http' : 'https';
  return {
    baseUrl: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    adminKey: first.key,
    variants,
    ...gateway,
    async stop(): Promise<void> {
      clearInterval(ticking);
      await state.callbacks.stop();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;
