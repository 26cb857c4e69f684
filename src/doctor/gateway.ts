import {
  dayMillis,
  fault,
  firstSignal,
  hasCode,
  isFault,
  messageOf,
  toSeconds,
  unixMillis,
  unixSeconds,
  type Clock,
  type FaultCode,
  type Log,
} from '../core/index.ts';
import type { Job } from '../config/index.ts';
import { probeLogs } from '../ingest/index.ts';
import type { JobAccount } from '../jobs/index.ts';
import type { DoctorCheck } from './doctor-view.ts';
import type { Warehouse } from '../warehouse/index.ts';
import type { Ping } from './deps.ts';
import { failed, passed, skipped } from './results.ts';

type ReadScope = 'account:read' | 'logs:read' | 'usage:read' | 'keys:read';
type Scope = ReadScope | 'keys:write';

const readScopes: readonly ReadScope[] = ['account:read', 'logs:read', 'usage:read', 'keys:read'];

/** The scopes that each kind of job needs; a kind that is not listed may need any. */
const scopesOf: Readonly<Record<string, readonly ReadScope[]>> = {
  'pull-logs': ['logs:read'],
  'pull-usage': ['usage:read'],
  report: ['logs:read'],
  focus: ['logs:read'],
  snapshot: ['account:read', 'logs:read', 'keys:read'],
  archive: [],
  backup: [],
  'restore-drill': [],
  alert: [],
  'rotate-keys': ['logs:read', 'keys:read'],
  'expire-keys': ['logs:read', 'keys:read'],
};

type AskingJob = Pick<Job, 'name' | 'kind' | 'account'> & Partial<Pick<Job, 'fields'>>;

const writesKeys = ({ kind, fields }: AskingJob): boolean =>
  (kind === 'rotate-keys' || kind === 'expire-keys') && fields?.['mode'] === 'apply';

const needs = (job: AskingJob, scope: Scope): boolean =>
  scope === 'keys:write' ? writesKeys(job) : (scopesOf[job.kind] ?? readScopes).includes(scope);

export const neededScopes = (
  jobs: readonly AskingJob[],
  account: string,
): ReadonlyMap<Scope, readonly string[]> => {
  const mine = jobs.filter((job) => job.account === account);
  const needed = [...readScopes, 'keys:write' as const].map((scope) => {
    const names = mine.filter((job) => needs(job, scope));
    return [scope, names.map(({ name }) => name)] as const;
  });
  return new Map(needed.filter(([, names]) => names.length > 0));
};

export type GatewayDeps = {
  readonly account: JobAccount;
  readonly ping: Ping;
  readonly jobs: readonly Job[];
  readonly warehouse: Warehouse;
  readonly spoolDirectory: string;
  readonly clock: Clock;
  readonly log: Log;
};

const second = 1000;

/** Milliseconds for one check, retries included. */
const timeout = 45 * second;

/** Milliseconds of skew from which jobs would request wrong time ranges; the header has whole seconds. */
const maxSkew = 60 * second;

const unreachable: readonly FaultCode[] = [
  'gateway-unreachable',
  'gateway-certificate',
  'gateway-timeout',
  'gateway-connection-lost',
  'gateway-redirect',
];

const drain = async (body: AsyncIterable<Uint8Array>): Promise<void> => {
  for await (const _ of body) continue;
};

/** Sends the smallest request that needs the scope, and describes the answer. Never writes. */
const questions: Readonly<Record<ReadScope, (deps: GatewayDeps, signal: AbortSignal) => Promise<string>>> = {
  'account:read': async ({ account }, signal) => {
    const { username } = await account.gateway.profile({ signal });
    return `the profile of ${username} can be read`;
  },
  'logs:read': async (deps, signal) => {
    const { account, clock, warehouse, spoolDirectory, log } = deps;
    const { gateway, currency, profile, name } = account;
    const until = toSeconds(clock.now());
    await gateway.statistics({ start: unixSeconds(until - 60), end: until }, { signal });
    const columns = await probeLogs({
      account: name,
      until,
      profile,
      currency,
      warehouse,
      spoolDirectory,
      log,
      signal,
      retryRead: gateway.retryRead,
      fetchLogs: (query) => gateway.exportLogs(query, { signal }),
    });
    const shown = columns.length === 0 ? 'no header without rows' : `${columns.length} columns`;
    return `statistics and the log export can be read (${shown})`;
  },
  'usage:read': async ({ account, clock }, signal) => {
    const { gateway } = account;
    const end = clock.now();
    const start = unixMillis(end - dayMillis);
    const query = { start, end, groupBy: 'model', metric: 'spend', granularity: 'day', topN: 1 } as const;
    await gateway.retryRead(async () => drain((await gateway.exportUsage(query, { signal })).body), {
      signal,
    });
    return 'the usage export can be read';
  },
  'keys:read': async ({ account }, signal) => {
    const { total } = await account.gateway.keyPage({ page: 1, pageSize: 1 }, { signal });
    return `keys can be listed${total === undefined || total === 0 ? '' : ` (${total})`}`;
  },
};

/** Runs one check within the timeout. @throws the errors of the gateway client, gateway-timeout, the signal's reason */
const askOne = async (scope: ReadScope, deps: GatewayDeps, signal: AbortSignal): Promise<string> => {
  using limit = deps.clock.limit(timeout);
  try {
    using first = firstSignal([signal, limit.signal]);
    return await questions[scope](deps, first.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.signal.aborted) throw error;
    const message = `no usable response within ${timeout / second} seconds`;
    throw fault('gateway-timeout', message, { cause: error });
  }
};

const checkClock = async (
  { account, ping, clock }: GatewayDeps,
  signal: AbortSignal,
): Promise<DoctorCheck> => {
  const about = `clock beside ${account.name}`;
  const asked = clock.now();
  let date: string | undefined;
  try {
    date = await ping(signal);
  } catch (error) {
    signal.throwIfAborted();
    return skipped(about, `the gateway did not report its time: ${messageOf(error)}`);
  }
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return skipped(about, 'the gateway sends no valid Date header');
  const ours = (asked + clock.now()) / 2;
  // The header omits the fraction of the second.
  const skew = ours - (theirs + second / 2);
  const message = `${Math.round(Math.abs(skew) / second)} s ${skew < 0 ? 'behind' : 'ahead of'} the gateway’s`;
  if (Math.abs(skew) < 2 * second) return passed(about, 'within 2 s of the gateway’s');
  if (Math.abs(skew) < maxSkew) return passed(about, message);
  return {
    about,
    state: 'failed',
    message: `this machine’s clock is ${message}`,
    advice:
      'synchronize the clock of this machine with NTP; if it is correct, the clock of the gateway is wrong',
  };
};

/** Whether the gateway answers, which needed scopes the Admin Key has, and whether the clocks agree. */
export const checkGateway = async (
  deps: GatewayDeps,
  signal: AbortSignal,
): Promise<readonly DoctorCheck[]> => {
  const { account, jobs } = deps;
  const all = neededScopes(jobs, account.name);
  const needed = readScopes.flatMap((scope) => {
    const names = all.get(scope);
    return names === undefined ? [] : [[scope, names] as const];
  });
  const checks: DoctorCheck[] = [];
  let reached: DoctorCheck | undefined;
  const about = `gateway ${account.name}`;
  for (const [scope, names] of needed.length === 0 ? [['account:read', []] as const] : needed) {
    const ofScope = `scope ${scope} of ${account.name}`;
    if (reached?.state === 'failed') {
      checks.push(skipped(ofScope, 'the gateway is not reachable'));
      continue;
    }
    const use = names.length === 0 ? 'no job needs it' : `needed by ${names.join(', ')}`;
    try {
      checks.push(passed(ofScope, `${await askOne(scope, deps, signal)}; ${use}`));
      reached = passed(about, 'answers');
    } catch (error) {
      signal.throwIfAborted();
      if (isFault(error) && unreachable.includes(error.code)) {
        reached = failed(about, error);
        checks.push(skipped(ofScope, 'the gateway is not reachable'));
        continue;
      }
      reached ??= passed(about, 'answers');
      const refusal = failed(ofScope, error);
      const needless = names.length === 0 && !hasCode(error, 'gateway-key-refused');
      checks.push(
        needless
          ? skipped(ofScope, `${refusal.message}; ${use}`)
          : { ...refusal, message: `${refusal.message}; ${use}` },
      );
    }
  }
  const clocks =
    reached?.state === 'failed'
      ? skipped(`clock beside ${account.name}`, 'the gateway is not reachable')
      : await checkClock(deps, signal);
  return [...(reached === undefined ? [] : [reached]), ...checks, clocks];
};
