import { errorFields, fault } from '../base/index.ts';
import type { ClockReading, Log, Means } from '../base/index.ts';
import { profileOf } from '../config/index.ts';
import type { Account, Config } from '../config/index.ts';
import { createGateway, createModelCaller } from '../gateway/index.ts';
import type { ModelCaller } from '../gateway/index.ts';
import type { JobAccount } from '../jobs/index.ts';
import { createHttp } from '../net/index.ts';
import type { Http } from '../net/index.ts';
import { version } from '../version.ts';

export type Accounts = AsyncDisposable & {
  /** @throws Fault `wrong-use` when there is no such account */
  readonly get: (name: string) => JobAccount;
  /** Asks at the address of the account's gateway, without a key, what time it is there. */
  readonly knockOf: (name: string) => Knock;
  /** Calls models of the account's gateway with an API key. */
  readonly modelsOf: (name: string) => ModelCaller;
};

type OpenAccount = JobAccount & { readonly knock: Knock; readonly models: ModelCaller };

/** Gives the Date header of whatever answers. @throws NetworkTrouble, the signal's reason */
export type Knock = (signal: AbortSignal) => Promise<string | undefined>;

const usualTimeouts = { connect: 10_000, headers: 120_000, idle: 60_000, total: 3_600_000 };

const openHttp = (account: Account, config: Config, means: Means): Http =>
  createHttp({
    userAgent: `tollkeeper/${version}`,
    env: means.env,
    ca: account.tls === undefined ? [] : [config.certificates.get(account.tls.ca) ?? ''],
    timeouts: {
      connect: account.timeouts?.connect ?? usualTimeouts.connect,
      headers: account.timeouts?.headers ?? usualTimeouts.headers,
      idle: account.timeouts?.idle ?? usualTimeouts.idle,
      total: account.timeouts?.total ?? usualTimeouts.total,
    },
  });

/** The accounts of a config, each with its gateway; connections are opened when they are first asked for. */
export const createAccounts = (
  config: Config,
  means: Means,
  log: Log,
  noteClock: (account: string, reading: ClockReading) => Promise<void>,
): Accounts => {
  const { accounts } = config.settings;
  const https: Http[] = [];
  const known = new Map<string, OpenAccount>();
  const open = (name: string): OpenAccount => {
    const account = Object.hasOwn(accounts, name) ? accounts[name] : undefined;
    if (account === undefined) {
      const names = Object.keys(accounts).join(', ') || 'none';
      throw fault('wrong-use', `there is no account ${name}; there are: ${names}`, {
        advice: 'name one that is declared under accounts in tollkeeper.yaml',
      });
    }
    const http = openHttp(account, config, means);
    https.push(http);
    const { clock, random, secrets } = means;
    const gateway = createGateway({
      baseUrl: account.base_url,
      adminKey: account.admin_key,
      http,
      clock,
      random,
      secrets,
      log,
      onClock: async (reading) =>
        noteClock(name, reading).catch((error: unknown) =>
          log.warn('the clock of the gateway could not be noted', errorFields(error)),
        ),
    });
    const knock: Knock = async (signal) => {
      const url = new URL(account.base_url);
      const answer = await http.send({ method: 'GET', url, signal, timeouts: { headers: 10_000 } });
      await answer.discard();
      return answer.headers['date'];
    };
    const models = createModelCaller({ baseUrl: account.base_url, http, clock, log, secrets });
    const profile = profileOf(account);
    const made = { name, currency: account.currency, profile, gateway, knock, models };
    known.set(name, made);
    return made;
  };
  return {
    get: (name) => known.get(name) ?? open(name),
    knockOf: (name) => (known.get(name) ?? open(name)).knock,
    modelsOf: (name) => (known.get(name) ?? open(name)).models,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(https.map((http) => http[Symbol.asyncDispose]()));
    },
  };
};
