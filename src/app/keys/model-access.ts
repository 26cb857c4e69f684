import {
  createNamedGates,
  fault,
  interval,
  isFault,
  toSeconds,
  unixSeconds,
  type ClockReading,
  type Deps,
  type Log,
  type Secret,
  type UnixMillis,
} from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { mayFollow, type LinkDeps, type ModelDeps } from '../../gateway/index.ts';
import { createSink, fitsPattern, type Sink } from '../../keys/index.ts';
import type { BookedCall } from '../../warehouse/index.ts';
import { readConfig } from '../../settings.ts';
import { createAccounts, openHttp, type Accounts } from '../accounts/accounts.ts';
import { goodConfig } from '../accounts/good-config.ts';
import { openRecentLog } from '../accounts/recent-log.ts';
import { openSinkParts, rotateSettings } from './sink-parts.ts';

/** The model endpoints of one account, without its database, which a daemon may hold. */
export type ModelAccess = AsyncDisposable & {
  readonly account: string;
  readonly currency: 'USD' | 'CNY';
  readonly models: ModelDeps;
  /** For links in answers. */
  readonly links: LinkDeps;
  /** The key that a sink of the service holds. @throws Fault wrong-use, sink-failed */
  readonly keyOf: (service: string) => Promise<Secret>;
  /** Reads the call log from this local time until now. Needs the Admin Key. */
  readonly openLog: (from: UnixMillis) => Promise<LogReader>;
};

export type LogReader = AsyncDisposable & { readonly read: () => Promise<readonly BookedCall[]> };

/** Seconds by which rows may be stamped before a call or after now: gateways round. */
const slack = 5;

const openLog = async (
  deps: Deps,
  log: Log,
  { config, accounts, account, offset }: Opened,
  from: UnixMillis,
): Promise<LogReader> => {
  const recent = await openRecentLog({
    deps,
    log,
    account: accounts.get(account),
    settings: config.settings.accounts[account]?.gateway,
    signal: deps.signal,
  });
  return {
    read: async () => {
      const behind = Math.round(offset() / 1000);
      const start = unixSeconds(toSeconds(from) + behind - slack);
      const until = unixSeconds(toSeconds(deps.clock.now()) + behind + slack);
      await recent.pull(start, until);
      return recent.warehouse.calls(account, interval(start, until));
    },
    [Symbol.asyncDispose]: recent[Symbol.asyncDispose],
  };
};

type Opened = {
  readonly config: Config;
  readonly accounts: Accounts;
  readonly account: string;
  /** Milliseconds by which the gateway's clock is ahead of the local one. */
  readonly offset: () => number;
};

/** @throws Fault config-invalid, wrong-use */
export const openModelAccess = async (
  deps: Deps,
  options: {
    readonly folder: string;
    readonly account?: string | undefined;
    readonly log: Log;
    /** Whether links of answers may lead to private addresses. */
    readonly allowPrivate?: boolean | undefined;
  },
): Promise<ModelAccess> => {
  const config = goodConfig(await readConfig(options.folder, deps));
  const account = options.account ?? Object.keys(config.settings.accounts)[0];
  if (account === undefined)
    throw fault('wrong-use', 'no account is configured', {
      advice: 'add one under accounts in tollkeeper.yaml',
    });
  let reading: ClockReading | undefined;
  const accounts = createAccounts(config, deps, options.log, (_, seen) => {
    reading = seen;
    return Promise.resolve();
  });
  const sinkParts = openSinkParts(deps, createNamedGates());
  const { currency } = accounts.get(account);
  const models = accounts.modelDepsOf(account);
  const settings = config.settings.accounts[account];
  if (settings === undefined) throw new RangeError(`account ${account} is not declared`);
  const http = openHttp(settings, config, deps, mayFollow(models, options.allowPrivate === true));

  const sinksOf = (service: string): readonly Sink[] =>
    Object.values(config.jobs).flatMap(({ name }) => {
      const settings = rotateSettings(config)(name, account);
      if (settings?.deliver === undefined) return [];
      const { name: pattern } = settings.keys;
      if (pattern !== undefined && !fitsPattern(pattern, service)) return [];
      return settings.deliver.map((spec) => createSink(spec, { account, service }, sinkParts.get()));
    });

  return {
    account,
    currency,
    models,
    links: { base: models.base, links: http },
    keyOf: async (service) => {
      const sinks = sinksOf(service);
      const failures: string[] = [];
      for (const sink of sinks) {
        try {
          const key = await sink.read?.(deps.signal);
          if (key !== undefined) return key;
          failures.push(`${sink.describe()} ${sink.read === undefined ? 'cannot be read' : 'holds no key'}`);
        } catch (error) {
          if (!isFault(error)) throw error;
          failures.push(error.message);
        }
      }
      throw fault(
        'wrong-use',
        sinks.length === 0
          ? `no rotate-keys job of the account ${account} delivers a key of ${service}`
          : `no key of ${service} was found: ${failures.join('; ')}`,
        { advice: 'use a service whose key is delivered, or give the key with --key-env or --key-file' },
      );
    },
    openLog: (from) =>
      openLog(deps, options.log, { config, accounts, account, offset: () => reading?.offset ?? 0 }, from),
    [Symbol.asyncDispose]: async () => {
      await http[Symbol.asyncDispose]();
      await sinkParts[Symbol.asyncDispose]();
      await accounts[Symbol.asyncDispose]();
    },
  };
};
