import {
  didYouMean,
  errorFields,
  fault,
  type ClockReading,
  type Log,
  type Deps,
  type Measure,
} from '../../core/index.ts';
import { profileOf, type Account, type Config } from '../../config/index.ts';
import {
  createGateway,
  createModelCaller,
  createModelDeps,
  type Gateway,
  type ModelCaller,
  type ModelDeps,
} from '../../gateway/index.ts';
import type { JobAccount } from '../../jobs/index.ts';
import type { DoctorAccounts, Ping } from '../../doctor/index.ts';
import { createHttp, type Http, type MayReach } from '../../http/index.ts';
import { version } from '../../version.ts';

export type Accounts = AsyncDisposable &
  DoctorAccounts & {
    /** As `get`, with a gateway that logs each call to the log of the run. */
    readonly forRun: (name: string, log: Log) => JobAccount;
    readonly modelsOf: (name: string) => ModelCaller;
    readonly modelDepsOf: (name: string) => ModelDeps;
  };

type OpenAccount = JobAccount & {
  readonly gatewayWith: (log: Log) => Gateway;
  readonly ping: Ping;
  readonly models: ModelCaller;
  readonly modelDeps: ModelDeps;
};

const defaultTimeouts = { connect: 10_000, headers: 120_000, idle: 60_000, total: 3_600_000 };

/** `mayReach`: addresses that may be connected; all where it is omitted. */
export const openHttp = (account: Account, config: Config, deps: Deps, mayReach?: MayReach): Http =>
  createHttp({
    mayReach,
    userAgent: `tollkeeper/${version}`,
    env: deps.env,
    ca: account.tls === undefined ? [] : [config.certificates.get(account.tls.ca) ?? ''],
    timeouts: {
      connect: account.timeouts?.connect ?? defaultTimeouts.connect,
      headers: account.timeouts?.headers ?? defaultTimeouts.headers,
      idle: account.timeouts?.idle ?? defaultTimeouts.idle,
      total: account.timeouts?.total ?? defaultTimeouts.total,
    },
  });

/** Opens each connection on first use. */
export const createAccounts = (
  config: Config,
  deps: Deps,
  log: Log,
  noteClock: (account: string, reading: ClockReading) => Promise<void>,
  measure?: Measure,
  confirm?: () => Promise<AbortSignal>,
): Accounts => {
  const { accounts } = config.settings;
  const https: Http[] = [];
  const known = new Map<string, OpenAccount>();
  const open = (name: string): OpenAccount => {
    const account = Object.hasOwn(accounts, name) ? accounts[name] : undefined;
    if (account === undefined) {
      const names = Object.keys(accounts).join(', ') || 'none';
      throw fault('wrong-use', `unknown account ${name}; accounts: ${names}`, {
        advice: didYouMean(name, Object.keys(accounts)) ?? 'use the name of an account in tollkeeper.yaml',
      });
    }
    const http = openHttp(account, config, deps);
    https.push(http);
    const { clock, random, secrets } = deps;
    const gatewayWith = (own: Log): Gateway =>
      createGateway({
        baseUrl: account.base_url,
        adminKey: account.admin_key,
        http,
        clock,
        random,
        secrets,
        log: own,
        pageTimeout: account.timeouts?.total,
        measure,
        confirm,
        onClock: async (reading) =>
          noteClock(name, reading).catch((error: unknown) =>
            own.warn('cannot store the clock offset of the gateway', errorFields(error)),
          ),
      });
    const ping: Ping = async (signal) => {
      const url = new URL(account.base_url);
      const answer = await http.send({ method: 'GET', url, signal, timeouts: { headers: 10_000 } });
      await answer.discard();
      return answer.headers['date'];
    };
    const modelDeps = createModelDeps({
      baseUrl: account.base_url,
      http,
      clock,
      random,
      log,
      secrets,
      measure,
    });
    const models = createModelCaller(modelDeps);
    const profile = profileOf(account);
    const { provider = new URL(account.base_url).host, ...named } = account.focus ?? {};
    const made = {
      name,
      focus: {
        provider,
        issuer: named.issuer ?? provider,
        accountId: named.account_id ?? name,
        accountName: named.account_name ?? name,
        service: named.service ?? 'LLM gateway',
      },
      journal: account.journal,
      currency: account.currency,
      profile,
      gateway: gatewayWith(log),
      gatewayWith,
      ping,
      models,
      modelDeps,
    };
    known.set(name, made);
    return made;
  };
  return {
    get: (name) => known.get(name) ?? open(name),
    forRun: (name, own) => {
      const { currency, profile, focus, journal, gatewayWith } = known.get(name) ?? open(name);
      return { name, currency, profile, focus, journal, gateway: gatewayWith(own) };
    },
    pingOf: (name) => (known.get(name) ?? open(name)).ping,
    modelsOf: (name) => (known.get(name) ?? open(name)).models,
    modelDepsOf: (name) => (known.get(name) ?? open(name)).modelDeps,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(https.map((http) => http[Symbol.asyncDispose]()));
    },
  };
};
