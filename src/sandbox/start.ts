import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createTraffic, type Traffic } from './control.ts';
import { createFaults, type Faults } from './faults.ts';
import { handedOut } from './admin/handed-out.ts';
import { checkHostile } from './hostile/hostile.ts';
import { newSecret } from './keys.ts';
import { createRequests, type Requests } from './requests.ts';
import { createGatewayServer } from './server.ts';
import { createState, scopes, type Scope, type State } from './state.ts';
import { createTruth, type Truth } from './truth.ts';
import { withDefaults, type Variants } from './variants.ts';

export type SandboxOptions = {
  /** Milliseconds; the clock of the whole account. */
  readonly now: () => number;
  /** Numbers in [0, 1) for the plaintext of keys; defaults to the secure source of the system. */
  readonly random?: () => number;
  /** Defaults to 127.0.0.1. */
  readonly host?: string;
  /** Defaults to 0, any free port. */
  readonly port?: number;
  /** PEM texts; enables https. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Calendar months of traffic before now; defaults to 14. */
  readonly months?: number;
  /** Mean number of calls per day; defaults to 450, about 200,000 rows in 14 months. */
  readonly callsPerDay?: number;
  readonly seed?: number;
  readonly variants?: Partial<Variants>;
  readonly hostile?: string;
  /** Defaults to a random one; each has all five scopes unless it lists its own. */
  readonly adminKeys?: readonly { readonly key: string; readonly scopes?: readonly Scope[] | undefined }[];
};

export type Sandbox = {
  readonly baseUrl: string;
  readonly adminKey: string;
  readonly variants: Variants;
  readonly faults: Faults;
  readonly truth: Truth;
  readonly requests: Requests;
  readonly traffic: Traffic;
  /** State of the gateway; read it, do not change it. */
  readonly state: State;
  stop(): Promise<void>;
};

/** Milliseconds. */
const TICK = 250;

const secureRandom = (): number => randomInt(2 ** 32) / 2 ** 32;

/**
 * Starts the sandbox gateway (docs/gateway.md).
 * @throws RangeError for an unknown variant, or the system error when the port is in use.
 */
export const startSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const random = options.random ?? secureRandom;
  const adminKeys = (options.adminKeys ?? [{ key: `sk-admin-${newSecret(random)}` }]).map((admin) => ({
    key: admin.key,
    scopes: admin.scopes ?? scopes,
  }));
  const [first] = adminKeys;
  if (first === undefined) throw new RangeError('the sandbox needs one Admin Key at least');
  for (const { key } of adminKeys) handedOut(key);
  const variants = withDefaults(options.variants ?? {});
  const state = createState({
    variants,
    now: options.now,
    random,
    adminKeys,
    months: options.months ?? 14,
    callsPerDay: options.callsPerDay ?? 450,
    seed: options.seed ?? 1,
  });
  state.hostile = checkHostile(options.hostile ?? 'none');
  const faults = createFaults();
  const requests = createRequests();
  const truth = createTruth(state);
  const traffic = createTraffic(state);
  const server = createGatewayServer(
    {
      state,
      controls: {
        faults,
        requests,
        truth,
        traffic,
        setHostile: (name) => {
          state.hostile = checkHostile(name);
        },
      },
      add: (record) => requests.add(record),
    },
    options.tls,
  );
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
    faults,
    truth,
    requests,
    traffic,
    state,
    async stop() {
      clearInterval(ticking);
      await state.callbacks.stop();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
