import { createSecretRegistry, silentLog, type SecretRegistry } from '../../src/core/index.ts';
import { createGateway, type Gateway } from '../../src/gateway/index.ts';
import { createHttp } from '../../src/http/index.ts';
import {
  parseVariants,
  startSandbox,
  type Sandbox,
  type SandboxOptions,
  type VariantName,
  type Variants,
  variantNames,
  variantTable,
} from '../../src/sandbox/index.ts';
import { manualClock, type ManualClock } from './manual-clock.ts';
import { coverPairs } from './pairs.ts';

/** Saturday, 21 November 2026, 06:03:07 UTC. */
export const now = Date.UTC(2026, 10, 21, 6, 3, 7);

export type GatewayFixture = AsyncDisposable & {
  readonly sandbox: Sandbox;
  readonly gateway: Gateway;
  readonly clock: ManualClock;
  readonly secrets: SecretRegistry;
  /** Another client of the same sandbox. */
  readonly gatewayWith: (adminKey: string) => Gateway;
};

/** The sandbox and a client of it over real HTTP, both on one clock. */
export const openGatewayFixture = async (
  options: Partial<Omit<SandboxOptions, 'now'>> = {},
): Promise<GatewayFixture> => {
  const clock = manualClock(now);
  const sandbox = await startSandbox({ months: 1, callsPerDay: 20, ...options, now: clock.now });
  const secrets = createSecretRegistry();
  const http = createHttp({
    userAgent: 'tollkeeper/test',
    env: {},
    timeouts: { connect: 5000, headers: 20_000, idle: 20_000, total: 60_000 },
  });
  const gatewayWith = (adminKey: string): Gateway =>
    createGateway({
      baseUrl: sandbox.baseUrl,
      adminKey: secrets.register(adminKey),
      http,
      clock,
      random: () => 0,
      log: silentLog,
      secrets,
    });
  return {
    sandbox,
    clock,
    secrets,
    gatewayWith,
    gateway: gatewayWith(sandbox.adminKey),
    [Symbol.asyncDispose]: async () => {
      await http[Symbol.asyncDispose]();
      await sandbox.stop();
    },
  };
};

/** Every value of every switch, as `[name, value]`; of the defaults, which come together, one stands for all. */
export const everyVariant: readonly (readonly [VariantName, string])[] = variantNames.flatMap((name, index) =>
  variantTable[name].values
    .filter((value) => index === 0 || value !== variantTable[name].default)
    .map((value) => [name, value] as const),
);

/** Rows in which each two values of different switches meet at least once. */
export const pairedVariants = (): readonly Partial<Variants>[] =>
  coverPairs(variantNames.map((name) => variantTable[name].values.length)).map((row) =>
    parseVariants(
      Object.fromEntries(
        variantNames.map((name, at) => [name, variantTable[name].values[row[at] ?? 0] ?? '']),
      ),
    ),
  );

/** Names of switches of the call log and of the statistics over it. */
export const aboutLog =
  /^(created_at|log_|refund_rows|cached_|quota_header|column_|extra_|unknown_|detailed_|title_|total_|guarded_|hidden_|row_|prompt_|kind_|late_|statistics_)/;

/** The switches of one variant of the table. */
export const switched = (name: VariantName, value: string): NonNullable<SandboxOptions['variants']> => ({
  [name]: value,
});

/** All bytes of a body as text. */
export const textOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
};
