import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createHash } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import {
  createNamedGates,
  createSecretRegistry,
  fault,
  money,
  noProgress,
  silentLog,
  unixMillis,
  unixSeconds,
  type Clock,
  type GatewayClock,
  type Secret,
  type UnixMillis,
} from '../../src/core/index.ts';
import type { ApiKey } from '../../src/gateway/index.ts';
import {
  createKeyService,
  type KeyAlert,
  type KeyEvent,
  type KeyUse,
  type PlannedExpiry,
  type Sink,
  type RotationTerms,
} from '../../src/keys/index.ts';
import { keyText, localeOf } from '../../src/messages/index.ts';
import type { Consumer, EngineDeps, KeyGateway } from '../../src/keys/cycle/engine-deps.ts';
import { openJournal, type JournalDeps } from '../../src/keys/journal/journal.ts';
import type { KeyEvidence } from '../../src/keys/model/ports.ts';
import type { KeyJournalRow, LineageRow } from '../../src/warehouse/index.ts';

const fingerprintOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Thrown where the process is to die: nothing behind it runs. */
export const crash = Symbol('crash');

/** A clock that stands still but when it is moved. */
export const stillClock = (start = 1_767_225_600_000) => {
  let now = start;
  const clock: Clock = {
    now: () => unixMillis(now),
    limit: () => ({ signal: new AbortController().signal, [Symbol.dispose]: () => undefined }),
    wait: async (millis) => {
      now += millis;
    },
  };
  return {
    clock,
    elapse: (millis: number) => {
      now += millis;
    },
  };
};

/** When an answer is lost; `unmoved`: it comes, and nothing was done. */
export type Lost = 'before' | 'after' | 'unmoved' | 'limited' | 'forbidden';

/** A gateway in memory that counts what it is asked, and may lose an answer before or after it did what it was asked. */
export const memoryGateway = (clock: Clock, gatewayNow: () => number = clock.now) => {
  const keys = new Map<number, ApiKey & { plaintext: string }>();
  const deleted: { id: number; name: string }[] = [];
  let lastId = 100;
  const faults = {
    create: [] as (Lost | undefined)[],
    update: [] as (Lost | undefined)[],
    remove: [] as (Lost | undefined)[],
  };
  /** Ids that lists do not show. */
  const hidden = new Set<number>();
  const writes = { create: 0, update: 0, remove: 0 };
  const lose = (): never => {
    throw fault('gateway-connection-lost', 'the answer was lost');
  };
  const refuse = (lost: Lost | undefined): void => {
    if (lost === 'limited') throw fault('gateway-rate-limited', 'too many requests');
    if (lost === 'forbidden') throw fault('gateway-scope-missing', 'keys:write is missing');
  };
  const add = (name: string, fields: Partial<ApiKey> = {}): number => {
    lastId += 1;
    keys.set(lastId, {
      id: lastId,
      name,
      keyMask: undefined,
      status: 1,
      remainQuota: money('0'),
      unlimitedQuota: true,
      expiredTime: 'never',
      group: 'default',
      createdTime: unixSeconds(Math.floor(gatewayNow() / 1000)),
      rest: {},
      ...fields,
      plaintext: `sk-${lastId}-${name}-plaintext`,
    });
    return lastId;
  };
  const works = (plaintext: string): boolean =>
    [...keys.values()].some(
      (key) =>
        key.plaintext === plaintext && (key.expiredTime === 'never' || key.expiredTime * 1000 > gatewayNow()),
    );
  return {
    keys,
    deleted,
    faults,
    hidden,
    writes,
    add,
    works,
    plaintextOf: (id: number) => keys.get(id)?.plaintext ?? '',
    client: (secrets: { register: (value: string) => Secret }): KeyGateway => ({
      list: async () =>
        [...keys.values()]
          .filter(({ id }) => !hidden.has(id))
          .map(({ plaintext: _plaintext, ...key }) => key),
      read: async (id) => {
        const key = keys.get(id);
        if (key === undefined) throw fault('gateway-not-found', `no key ${id}`);
        return key;
      },
      create: async (name, fields) => {
        writes.create += 1;
        const lost = faults.create.shift();
        refuse(lost);
        if (lost === 'before') lose();
        const id = add(name, fields);
        if (lost === 'after') lose();
        return { id, key: secrets.register(keys.get(id)?.plaintext ?? '') };
      },
      update: async (id, change) => {
        writes.update += 1;
        const lost = faults.update.shift();
        refuse(lost);
        if (lost === 'before') lose();
        const before = keys.get(id);
        if (before === undefined) throw fault('gateway-not-found', `no key ${id}`);
        const after = { ...before, ...change };
        keys.set(id, after);
        if (lost === 'after') lose();
        return { before, after, sent: true, spent: money('0'), measured: 'measured' };
      },
      remove: async (id) => {
        writes.remove += 1;
        const lost = faults.remove.shift();
        refuse(lost);
        if (lost === 'before') lose();
        if (lost === 'unmoved') return;
        const key = keys.get(id);
        if (key === undefined) throw fault('gateway-refused', 'record not found');
        keys.delete(id);
        deleted.push({ id, name: key.name });
        if (lost === 'after') lose();
      },
    }),
  };
};

/** A sink that keeps one key, as a file does. */
export const memorySink = (place: string, over: Partial<Sink> = {}) => {
  const contents: { value: string | undefined; deliveries: number } = { value: undefined, deliveries: 0 };
  const sink: Sink = {
    place,
    describe: () => `the sink ${place}`,
    confirmedByPerson: false,
    deliver: async (key) => {
      contents.value = key.reveal();
      contents.deliveries += 1;
      return {};
    },
    fingerprint: async () =>
      contents.value === undefined
        ? { state: 'empty' }
        : { state: 'holds', fingerprint: fingerprintOf(contents.value) },
    read: async () =>
      contents.value === undefined ? undefined : createSecretRegistry().register(contents.value),
    problems: async () => [],
    ...over,
  };
  return { contents, sink };
};

/** A file that only a person can read: it is confirmed by them. */
export const sealedSink = () =>
  memorySink('age:anna', {
    confirmedByPerson: true,
    fingerprint: async () => ({ state: 'unreadable', why: 'only anna can' }),
  });

/** A sink that takes keys, answers what it holds, and is never read. */
export const webhookSink = () => {
  const made = memorySink('webhook:one', {
    deliver: async (key) => {
      made.contents.value = key.reveal();
      return { fingerprint: fingerprintOf(key.reveal()) };
    },
    fingerprint: async () => ({ state: 'unreadable', why: 'it shows none' }),
  });
  return made;
};

/** A sink that no key can be delivered to. */
export const fullSink = (place: string) =>
  memorySink(place, {
    deliver: async () => {
      throw fault('sink-failed', 'the disk is full');
    },
  });

/** A verification that no call answers. */
export const noVerdict = async (): Promise<never> => {
  throw fault('key-verify-unclear', 'no answer');
};

/** A step of a journal, each of another key. */
export const adoptedStep = (number: number): KeyEvent => ({
  at: unixMillis(1_700_000_000_000 + number),
  who: 'person anna',
  account: 'main',
  service: 'billing',
  rotation: `adopt/${number}`,
  what: 'adopted',
  keyId: number,
  generation: number,
  name: `billing.g${number}`,
  born: unixMillis(1_700_000_000_000),
});

type TableCopy = readonly [readonly KeyJournalRow[], readonly LineageRow[]];

/** A data folder as it was. */
export type Backup = { readonly table: TableCopy; readonly audit: string | undefined };

/** A table in memory that keeps its rows to its rules. */
export const memoryTable = (): JournalDeps['table'] & {
  readonly rows: KeyJournalRow[];
  readonly copy: () => TableCopy;
  readonly load: (copy: TableCopy) => void;
} => {
  const rows: KeyJournalRow[] = [];
  const lineage = new Map<string, LineageRow>();
  return {
    rows,
    append: async (added, lines) => {
      for (const row of added) {
        if (row.seq !== rows.length + 1) throw new RangeError(`seq ${row.seq} after ${rows.length}`);
        rows.push(row);
      }
      for (const row of lines) lineage.set(`${row.account}/${row.keyId}`, row);
    },
    last: async () => rows.at(-1),
    events: async (filter = {}) =>
      rows.filter(
        (row) =>
          (filter.account === undefined || row.account === filter.account) &&
          (filter.service === undefined || row.service === filter.service) &&
          (filter.rotation === undefined || row.rotation === filter.rotation),
      ),
    lineage: async (account) => [...lineage.values()].filter((row) => row.account === account),
    copy: () => [[...rows], [...lineage.values()]],
    load: ([rowsThen, lineageThen]) => {
      rows.splice(0, rows.length, ...rowsThen);
      lineage.clear();
      for (const row of lineageThen) lineage.set(`${row.account}/${row.keyId}`, row);
    },
  };
};

export const defaultTerms: RotationTerms = {
  job: 'rotate',
  template: '{service}.g{generation}',
  overlap: 3_600_000,
  quota: { kind: 'carry' },
  retire: { when: 'unused', quiet: 3_600_000, ending: 'delete' },
  tries: 5,
};

export const hour = 3_600_000;

const noUse: KeyUse = { calls: 0, models: [] };

/** The event of an alert, with the key that it is about and what tells its text from others of the event. */
const factsOf = ({ about }: KeyAlert): string => {
  const facts: string[] = [about.event];
  if ('name' in about) facts.push(about.name);
  if (about.event === 'held') facts.push(about.why.reason);
  if (about.event === 'held' && about.isTimed === true) facts.push('timed');
  if (about.event === 'orphan-retained' && !about.identified) facts.push('unidentified');
  if (about.event === 'step-failed' && about.tries !== undefined) facts.push('last');
  return facts.join(' ');
};

/**
 * A key service over parts in memory, with the audit file on disk; `restart` opens another over what was written down, as after
 * a crash. `at` is called before and after each effect and each line that is written down, and may throw `crash`.
 */
export const engineFixture = async (
  options: {
    readonly sinks?: readonly Sink[];
    readonly time?: ReturnType<typeof stillClock>;
    readonly evidence?: Partial<KeyEvidence>;
    /** Milliseconds on the clock that stamps keys; that of the host unless given. */
    readonly gatewayNow?: () => number;
    readonly gatewayClock?: () => GatewayClock | undefined;
    readonly compareClock?: NonNullable<EngineDeps['compareClock']>;
    readonly recentCalls?: NonNullable<EngineDeps['recentCalls']>;
    /** Hears of each list of keys before it is answered. */
    readonly onList?: () => void;
    /** Another one, whose clock and gateway it shares. */
    readonly beside?: ReturnType<typeof stillClock> & { readonly gateway: ReturnType<typeof memoryGateway> };
  } = {},
) => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-engine-'));
  const { clock, elapse } = options.beside ?? options.time ?? stillClock();
  const gateway = options.beside?.gateway ?? memoryGateway(clock, options.gatewayNow);
  const table = memoryTable();
  /** With what their mails say in English. */
  const alert: (KeyAlert & ReturnType<typeof keyText>)[] = [];
  const secrets = createSecretRegistry();
  const usual = memorySink('memory:one');
  const sinks = options.sinks ?? [usual.sink];
  const state = {
    /** Calls in the log by name of key: the moment (milliseconds) of each. */
    calls: [] as { name: string; at: number }[],
    logLag: 0,
    random: 0,
    verify: undefined as undefined | ((key: Secret) => Promise<void>),
    sinks,
    reload: undefined as Consumer['reload'],
    /** Whether the job with its sinks is in the config. */
    declared: true,
    /** Whether the gateway refuses a call with the key; unknown where not given. */
    refuses: undefined as (() => Promise<boolean>) | undefined,
    /** Why no consumer can be made out of what its job declares. */
    unfit: undefined as Error | undefined,
    at: (_what: string): void | Promise<void> => undefined,
    /** What each inventory showed: names by id. */
    shown: [] as { readonly at: UnixMillis; readonly names: ReadonlyMap<number, string> }[],
    /** Steps that are never written down: a fault that is planted. */
    forgets: [] as string[],
  };
  const around = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    await state.at(`before ${what}`);
    const result = await work();
    await state.at(`after ${what}`);
    return result;
  };
  const client = gateway.client(secrets);
  /** The newest inventory of the moment or before, and those since. */
  const shownSince = (since: number): readonly ReadonlyMap<number, string>[] => {
    const first = state.shown.findLastIndex(({ at }) => at <= since);
    return state.shown.slice(Math.max(0, first)).map(({ names }) => names);
  };
  const wrapped: KeyGateway = {
    list: async (signal) => {
      options.onList?.();
      const listed = await client.list(signal);
      state.shown.push({ at: clock.now(), names: new Map(listed.map(({ id, name }) => [id, name])) });
      return listed;
    },
    read: (id, signal) => client.read(id, signal),
    create: (name, fields, signal) => around('create', () => client.create(name, fields, signal)),
    update: (id, change, how, signal) => around('update', () => client.update(id, change, how, signal)),
    remove: (id, signal) => around('remove', () => client.remove(id, signal)),
  };
  const consumer = (): Consumer => ({
    sinks: state.sinks.map((sink) => ({
      ...sink,
      deliver: (...given) => around(`deliver to ${sink.place}`, () => sink.deliver(...given)),
    })),
    verify: async (key) => {
      await state.verify?.(key);
      if (!gateway.works(key.reveal())) throw fault('key-verify-refused', 'refused');
      return { verdict: 'works', evidence: 'it answered' };
    },
    ...(state.refuses === undefined ? {} : { refuses: state.refuses }),
    ...(state.reload === undefined ? {} : { reload: state.reload }),
  });
  const evidence: KeyEvidence = {
    use: async (_account, name, range) => {
      const found = state.calls.filter(
        (call) => call.name === name && call.at >= range.start * 1000 && call.at < range.end * 1000,
      );
      const last = found.at(-1);
      if (last === undefined) return noUse;
      return {
        calls: found.length,
        lastCall: unixSeconds(Math.floor(last.at / 1000)),
        models: [{ model: 'm', calls: found.length }],
      };
    },
    hoursUsed: async (_account, names, range) => {
      const hours = state.calls.flatMap(({ name, at }) =>
        names.includes(name) && at >= range.start * 1000 && at < range.end * 1000
          ? [Math.floor(at / 3_600_000) * 3600]
          : [],
      );
      return [...new Set(hours)].toSorted((one, other) => one - other).map(unixSeconds);
    },
    logComplete: async (_account, range) => {
      const through = Math.floor((clock.now() - state.logLag) / 1000);
      if (through >= range.end) return { complete: true };
      const why = 'the log is behind';
      return through > range.start
        ? { complete: false, why, through: unixSeconds(through) }
        : { complete: false, why };
    },
    idsNamed: async (_account, name, since) => {
      const ids = shownSince(since).flatMap((names) =>
        [...names].flatMap(([id, shown]) => (shown === name ? [id] : [])),
      );
      return [...new Set(ids)];
    },
    namesOf: async (_account, keyIds, since) =>
      new Map(
        keyIds.map((keyId) => [
          keyId,
          [...new Set(shownSince(since).flatMap((names) => names.get(keyId) ?? []))],
        ]),
      ),
    ...options.evidence,
  };
  const open = async () => {
    const path = join(folder, 'audit', 'keys.jsonl');
    const journal = await openJournal({ table, path, log: silentLog });
    const watched: typeof journal = {
      ...journal,
      record: (events) =>
        around(`record ${events.map(({ what }) => what).join('+')}`, () =>
          journal.record(events.filter(({ what }) => !state.forgets.includes(what))),
        ),
    };
    const keyService = createKeyService({
      account: 'main',
      zone: 'UTC',
      journal: watched,
      gateway: wrapped,
      evidence,
      ...(options.recentCalls === undefined ? {} : { recentCalls: options.recentCalls }),
      ...(options.gatewayClock === undefined ? {} : { gatewayClock: options.gatewayClock }),
      ...(options.compareClock === undefined ? {} : { compareClock: options.compareClock }),
      consumerOf: () => {
        if (state.unfit !== undefined) throw state.unfit;
        return state.declared ? consumer() : undefined;
      },
      deliveredBy: () => ['rotate'],
      unusedUntil: new Map(),
      plaintexts: new Map(),
      notify: async (one) => {
        alert.push({ ...one, ...keyText(one, localeOf('en').keys, { at: String, zone: 'UTC' }) });
      },
      clock,
      random: () => state.random,
      log: silentLog,
      gates: createNamedGates(),
      templates: ['{service}.g{generation}-{random}'],
    });
    return { keyService, journal, path };
  };
  let current = await open();
  const signal = new AbortController().signal;
  const advance = (ids?: readonly string[]) =>
    current.keyService.advance({ ...(ids === undefined ? {} : { ids }), signal, progress: noProgress });
  /** Plans the rotation of a key as a job would. */
  const start = async (id: number, terms: Partial<RotationTerms> = {}, service = 'billing') => {
    const key = gateway.keys.get(id);
    if (key === undefined) throw new RangeError(`no key ${id}`);
    const survey = await current.keyService.survey(signal);
    const generation = survey.keys.find((one) => one.key.id === id)?.generation ?? 1;
    const { name, remainQuota, unlimitedQuota } = key;
    const [rotation] = await current.keyService.start(
      [
        {
          service,
          why: 'age',
          terms: { ...defaultTerms, ...terms },
          old: { keyId: id, generation, name, remainQuota, unlimitedQuota },
        },
      ],
      'job rotate',
    );
    return rotation ?? '';
  };
  /** The log shows a call by a key of this name, so many milliseconds ago. */
  const used = (name: string, ago = 1000): void => {
    state.calls.push({ name, at: clock.now() - ago });
  };
  const planned = async (terms: Partial<RotationTerms> = {}, fields: Partial<ApiKey> = {}) => {
    const old = gateway.add('billing.g1', fields);
    return { old, id: await start(old, terms) };
  };
  let backup: Backup | undefined;
  const backUp = async (): Promise<Backup> => ({
    table: table.copy(),
    audit: await readFile(current.path, 'utf8').catch(() => undefined),
  });
  const load = async ({ table: rows, audit }: Backup): Promise<void> => {
    const { path } = current;
    table.load(rows);
    await rm(path, { force: true });
    await mkdir(dirname(path), { recursive: true });
    if (audit !== undefined) await writeFile(path, audit);
    current = await open();
  };
  return {
    folder,
    clock,
    elapse,
    gateway,
    table,
    alert,
    evidence,
    state,
    sink: usual,
    keyService: () => current.keyService,
    journal: () => current.journal,
    path: () => current.path,
    restart: async () => {
      current = await open();
    },
    /** Copies the data folder. */
    backUp,
    /** Puts a copy in the place of the data folder, and starts the process on it, which has no plaintext. */
    load,
    /** Takes a copy once this has happened, as `state.at` is told of it, for `putBack`. */
    backUpBehind: (happened: string): void => {
      state.at = async (what) => {
        if (what === happened) backup ??= await backUp();
      };
    },
    putBack: async (): Promise<void> => {
      if (backup === undefined) throw new RangeError('no backup was taken');
      state.at = () => undefined;
      await load(backup);
    },
    names: (): readonly string[] => [...gateway.keys.values()].map(({ name }) => name),
    used,
    /** Time passes, the log shows a call by a key of this name, if one is given, and the rotations advance. */
    later: async (millis: number, name?: string, ago?: number) => {
      elapse(millis);
      if (name !== undefined) used(name, ago);
      return advance();
    },
    /** What was alerted of. */
    alerted: (): readonly string[] => alert.map(factsOf),
    /** The fingerprint of the first key that was created. */
    fingerprint: (): string => {
      const created = table.rows.find(({ what }) => what === 'created');
      return (JSON.parse(created?.event ?? '') as { fingerprint: string }).fingerprint;
    },
    /** Somebody gives the key another name. */
    rename: (id: number, name: string): void => {
      const key = gateway.keys.get(id);
      if (key === undefined) throw new RangeError(`no key ${id}`);
      gateway.keys.set(id, { ...key, name });
    },
    /** The key is spent down to so much. */
    spendTo: (id: number, left: string): void => {
      const key = gateway.keys.get(id);
      if (key === undefined) throw new RangeError(`no key ${id}`);
      gateway.keys.set(id, { ...key, remainQuota: money(left) });
    },
    /** A service with one key, and a rotation of it that has taken no step. */
    planned,
    /** A service with one key and a rotation of it that has taken its first steps. */
    begun: async (terms: Partial<RotationTerms> = {}, fields: Partial<ApiKey> = {}) => {
      const { old, id } = await planned(terms, fields);
      const [moved] = await advance([id]);
      return { old, id, moved };
    },
    /** Begins the rotation of the second key of a service, which leaked. */
    leak: async (keyId: number, terms: Partial<RotationTerms>): Promise<string> => {
      const { remainQuota = money('0') } = gateway.keys.get(keyId) ?? {};
      const old = { keyId, generation: 2, name: 'billing.g2', remainQuota, unlimitedQuota: true };
      const rotation = {
        service: 'billing',
        why: 'leak',
        terms: { ...defaultTerms, overlap: 0, ...terms },
        old,
      } as const;
      const [id = ''] = await current.keyService.start([rotation], 'person anna');
      return id;
    },
    /** A person ends a key of the service. */
    expire: (keyId: number, action: PlannedExpiry['action'], evenIfCurrent = true) => {
      const name = gateway.keys.get(keyId)?.name ?? 'billing.g1';
      const key = { keyId, generation: Number(name.split('.g')[1] ?? 1), name, service: 'billing' };
      return current.keyService.expire([{ ...key, action, evenIfCurrent }], 'person anna', signal);
    },
    advance,
    start,
    [Symbol.asyncDispose]: async () => rm(folder, { recursive: true, force: true }),
  };
};

export type EngineFixture = Awaited<ReturnType<typeof engineFixture>>;

/** A fixture whose rotation has taken its first steps; it goes with the test. */
export const begunFixture = async (...given: Parameters<EngineFixture['begun']>) => {
  const fixture = await engineFixture();
  onTestFinished(() => fixture[Symbol.asyncDispose]());
  return { fixture, ...(await fixture.begun(...given)) };
};

/** The process dies there and is started again. */
export const dieAt = async (
  fixture: EngineFixture,
  where: string,
  ids?: readonly string[],
): Promise<void> => {
  let isDead = false;
  fixture.state.at = (what) => {
    isDead ||= what === where;
    if (isDead) throw crash;
  };
  await expect(fixture.advance(ids)).rejects.toBe(crash);
  fixture.state.at = () => undefined;
  await fixture.restart();
};
