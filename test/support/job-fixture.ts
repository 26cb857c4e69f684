import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  noProgress,
  silentLog,
  unknownGateway,
  type GatewayProfile,
  type Money,
} from '../../src/core/index.ts';
import {
  jobKinds,
  type JobContext,
  type JobKind,
  type JobOutcome,
  type JobPlan,
} from '../../src/jobs/index.ts';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { openGatewayFixture, type GatewayFixture } from './gateway-fixture.ts';
import { openMemoryWarehouse } from './memory-warehouse.ts';

/** What a run is for, and whatever else is to be other than usual. */
export type RunChange = Partial<JobContext>;

export type JobFixture = GatewayFixture & {
  readonly context: JobContext;
  /** Runs a kind of job on settings as written in YAML; by hand and for now, unless the change says otherwise. */
  readonly run: (
    kind: string,
    settings: Readonly<Record<string, unknown>>,
    change?: RunChange,
  ) => Promise<JobOutcome>;
  readonly plan: (
    kind: string,
    settings: Readonly<Record<string, unknown>>,
    change?: RunChange,
  ) => Promise<JobPlan>;
};

/** Sandbox, client and a warehouse in memory, as a job sees them. */
export const openJobFixture = async (
  options: Partial<Omit<SandboxOptions, 'now'>> = {},
  profile: Partial<GatewayProfile> = {},
): Promise<JobFixture> => {
  const fixture = await openGatewayFixture(options);
  const spoolDirectory = await mkdtemp(join(tmpdir(), 'tollkeeper-spool-'));
  const warehouse = await openMemoryWarehouse(spoolDirectory, { clock: fixture.clock });
  const context: JobContext = {
    name: 'test',
    runId: 'test-1',
    slot: fixture.clock.now(),
    interval: { start: fixture.clock.now(), end: fixture.clock.now() },
    trigger: 'hand',
    account: {
      name: 'main',
      currency: 'USD',
      profile: { ...unknownGateway, ...profile },
      gateway: fixture.gateway,
    },
    zone: 'UTC',
    locale: 'en',
    warehouse,
    spoolDirectory,
    reportDirectories: [new URL('../../reports', import.meta.url).pathname],
    reports: { folder: join(spoolDirectory, 'reports'), attachLimit: 10_000_000 },
    mail: undefined,
    clock: fixture.clock,
    log: silentLog,
    progress: noProgress,
    signal: new AbortController().signal,
  };
  const kindOf = (name: string): JobKind => {
    const kind = jobKinds.find((candidate) => candidate.kind === name);
    if (kind === undefined) throw new RangeError(`no kind ${name}`);
    return kind;
  };
  const contextFor = (change: RunChange): JobContext => {
    const now = fixture.clock.now();
    return { ...context, slot: now, interval: { start: now, end: now }, ...change };
  };
  return {
    ...fixture,
    context,
    run: async (name, settings, change = {}) => {
      const kind = kindOf(name);
      return kind.run(await kind.shape.parseAsync(settings), contextFor(change));
    },
    plan: async (name, settings, change = {}) => {
      const kind = kindOf(name);
      return kind.plan(await kind.shape.parseAsync(settings), contextFor(change));
    },
    [Symbol.asyncDispose]: async () => {
      await warehouse[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
      await rm(spoolDirectory, { recursive: true, force: true });
    },
  };
};

/** The account of a fixture whose gateway counts another charge in its statistics. */
export const withStatistics = (
  { context: { account } }: Pick<JobFixture, 'context'>,
  change: (quota: Money) => Money,
): Pick<JobContext, 'account'> => ({
  account: {
    ...account,
    gateway: {
      ...account.gateway,
      statistics: async (query, options) => {
        const found = await account.gateway.statistics(query, options);
        return { ...found, quota: change(found.quota) };
      },
    },
  },
});
