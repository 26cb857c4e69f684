import { createAggregates } from './traffic/cells.ts';
import { consumers } from './traffic/consumers.ts';
import { createLedger } from './traffic/ledger.ts';
import { DAY, HOUR } from './traffic/rhythm.ts';
import { GRAINS_PER_USD, type MoneyUnit } from './decimal.ts';
import { checkHostile } from './hostile/hostile.ts';
import { adminHashOf, createKeyStore, type KeyStore, type StoredKey } from './keys.ts';
import { createLater, createListing, createRateLimiter } from './timed.ts';
import { createCallbacks } from './callbacks.ts';
import type { Task } from './models/task.ts';
import { choicesOf, type Variants } from './variants.ts';

export const scopes = ['account:read', 'logs:read', 'usage:read', 'keys:read', 'keys:write'] as const;
export type Scope = (typeof scopes)[number];

export type AccountOptions = {
  /** Milliseconds; the clock of the whole account. */
  readonly now: () => number;
  /** Calendar months of traffic before now; defaults to 14. */
  readonly months?: number;
  /** Mean number of calls per day; defaults to 450, about 200,000 rows in 14 months. */
  readonly callsPerDay?: number;
  readonly seed?: number;
  readonly hostile?: string;
};

export type StateOptions = AccountOptions & {
  readonly variants: Variants;
  readonly random: () => number;
  readonly adminKeys: readonly { readonly key: string; readonly scopes: readonly Scope[] }[];
};

/** Days since 1970-01-01 of the day `months` calendar months before `now` (UTC), limited to the last day of that month. */
const monthsBefore = (now: number, months: number): number => {
  const date = new Date(now);
  const monthEnd = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months + 1, 0));
  monthEnd.setUTCDate(Math.min(date.getUTCDate(), monthEnd.getUTCDate()));
  return monthEnd.getTime() / 1000 / DAY;
};

const plantKeys = (keys: KeyStore, firstDay: number): void => {
  for (const [at, consumer] of consumers.entries()) {
    const createdAt = firstDay * DAY + at * HOUR;
    keys.create({
      name: consumer.name,
      group: consumer.group,
      remain: (consumer.limit ?? 0n) * GRAINS_PER_USD,
      unlimited: consumer.limit === undefined,
      expiredTime: consumer.state === 'expired' ? createdAt + 20 * DAY : -1,
      disabled: consumer.state === 'disabled',
      createdAt,
      ...(consumer.weight > 0 ? { consumer: consumer.name } : {}),
    });
  }
};

/** State of the gateway. @throws RangeError for an unknown hostile behaviour. */
export const createState = (options: StateOptions) => {
  const { random, months = 14, callsPerDay = 450, seed = 1 } = options;
  const variants = choicesOf(options.variants);
  const [shift, dateShift] = variants.gateway_clock;
  const now = (): number => options.now() + shift;
  const seconds = (): number => Math.floor(now() / 1000);
  const firstDay = monthsBefore(now(), months);
  const wholeUnits =
    variants.amounts_change.length > 0 ||
    [variants.log_quota('USD'), variants.statistics_unit, variants.usage_unit].includes('units');
  const ledger = createLedger({
    seed,
    callsPerDay,
    refunds: variants.refund_rows,
    lateRows: variants.late_rows,
    wholeUnits,
    firstDay,
  });
  const keys = createKeyStore(random);
  plantKeys(keys, firstDay);
  for (const key of keys.all()) key.remainSince = seconds();
  return {
    variants,
    hostile: checkHostile(options.hostile ?? 'none'),
    random,
    now,
    /** The time of the `Date` header, in milliseconds. */
    date: () => now() + dateShift,
    seconds,
    ledger,
    cells: createAggregates(ledger),
    keys,
    listing: createListing(keys, now),
    later: createLater(now),
    adminKeys: options.adminKeys.map((admin) => ({ hash: adminHashOf(admin.key), scopes: admin.scopes })),
    limiter: createRateLimiter(now),
    tasks: new Map<string, Task>(),
    callbacks: createCallbacks(),
    promptCache: new Set<string>(),
    /** Charges are whole units if any answer counts in units. */
    wholeUnits,
    /** When the variant `amounts_change` takes effect: the first midnight UTC after the start, Unix seconds. */
    changesAt: (Math.floor(seconds() / DAY) + 1) * DAY,
    /** Grains on the account before its first day. */
    opening: BigInt(Math.ceil(callsPerDay)) * GRAINS_PER_USD,
  };
};

export type State = ReturnType<typeof createState>;

/** Grains left on a key: simulated spend counts once it is visible. */
export const remainOf = (state: State, key: StoredKey): bigint => {
  const at = state.seconds();
  if (key.unlimited || key.consumer === undefined || at <= key.remainSince) return key.remain;
  // A late row may have been created up to ten minutes before it counts.
  const range = { start: key.remainSince - 600, end: at + 1 };
  let spent = 0n;
  for (const row of state.ledger.rows(range, at)) {
    const fresh = row.live !== true && row.visibleAt > key.remainSince;
    if (fresh && row.token === key.name) spent += BigInt(row.grains);
  }
  key.remain -= spent;
  key.spentSinceRead += spent;
  if (key.remain <= 0n) key.exhaustedAt ??= at;
  key.remainSince = at;
  return key.remain;
};

/** Updates the simulated traffic after its key was renamed, disabled, deleted, or got another expiry. */
export const syncTraffic = (state: State, key: StoredKey, deleted = false): void => {
  if (key.consumer === undefined) return;
  const at = state.seconds();
  const working = !deleted && !key.disabled;
  const held = state.variants.key_cache;
  // The current second keeps its rows, so that nothing already served changes.
  if (working) state.ledger.moveTraffic(key.consumer, { from: at + 1, to: key.name });
  else state.ledger.moveTraffic(key.consumer, { from: at + Math.max(1, held), to: undefined });
  if (working && key.expiredTime !== -1) {
    const end = Math.max(key.expiredTime, key.expiredSince) + held;
    state.ledger.moveTraffic(key.consumer, { from: Math.max(at + 1, end), to: undefined });
  }
};

/** The unit of an endpoint's amounts at `at` (Unix seconds); it may change once after the start. */
export const unitAt = (
  { variants, changesAt, seconds }: State,
  of: 'log' | 'statistics' | 'usage',
  usual: MoneyUnit,
  at = seconds(),
): MoneyUnit => {
  const changing: readonly string[] = variants.amounts_change;
  if (at < changesAt || !changing.includes(of)) return usual;
  return usual === 'units' ? 'USD' : 'units';
};
