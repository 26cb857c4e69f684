import {
  didYouMean,
  fault,
  interval,
  toSeconds,
  unixSeconds,
  type Log,
  type Deps,
} from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { jsonObject, type RotateSettings } from '../../jobs/index.ts';
import {
  createKeyService,
  createKeyGateway,
  createProbeKeys,
  createSink,
  deadKeyIn,
  defaultTemplate,
  deadKeyText,
  isSelected,
  probeKeyUpdates,
  runThen,
  updateKnowledge,
  verifyForms,
  type Consumer,
  type KeyService,
  type KeyJournal,
  type KeyAlert,
  type Sink,
  type SurveyedKey,
} from '../../keys/index.ts';
import { openRecentLog } from '../accounts/recent-log.ts';
import { openSinkParts, rotateSettings } from './sink-parts.ts';
import type { LearnedPoint, Warehouse } from '../../warehouse/index.ts';
import type { DeclaredSink } from '../../doctor/index.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { costOwnersOf } from '../accounts/cost-owners.ts';
import type { KeyRuntime } from './key-runtime.ts';

export type KeyServices = AsyncDisposable & {
  /** @throws Fault `wrong-use` for an unknown account */
  readonly keyService: (account: string) => Promise<KeyService>;
  /** Creates a temporary key, learns from it how the gateway updates keys, and deletes it. */
  readonly probeKeys: (account: string, signal: AbortSignal) => Promise<readonly LearnedPoint[]>;
  /** The sinks of the account's jobs for each existing service; connections open on first use. */
  readonly sinksOf: (account: string, signal: AbortSignal) => Promise<readonly DeclaredSink[]>;
};

type KeyServicesDeps = {
  readonly config: Config;
  readonly accounts: Accounts;
  readonly keyRuntime: KeyRuntime;
  readonly warehouse: Warehouse;
  readonly deps: Deps;
  readonly log: Log;
  readonly notify: (alert: KeyAlert) => Promise<void>;
};

/** Opens connections to sinks on first use. */
export const createKeyServices = ({
  config,
  accounts,
  keyRuntime,
  warehouse,
  deps,
  log,
  notify,
}: KeyServicesDeps): KeyServices => {
  const { clock, random, secrets } = deps;
  const sinkParts = openSinkParts(deps, keyRuntime.gates);
  const settingsOf = rotateSettings(config);

  const consumerOf =
    (account: string) =>
    (job: string, service: string): Consumer | undefined => {
      const settings = settingsOf(job, account);
      if (settings?.deliver === undefined) return undefined;
      const of = { account, service };
      const { then, verify } = settings;
      return {
        sinks: settings.deliver.map((spec) => createSink(spec, of, sinkParts.get())),
        refuses: async (key, signal) =>
          (await accounts.modelsOf(account)(key, verify, { signal })).verdict === 'refused',
        verify: (key, signal) =>
          verifyForms(key, {
            ask: (form, inner) => accounts.modelsOf(account)(form, verify, { signal: inner }),
            register: secrets.register,
            points: () => warehouse.profile.points(account),
            learn: (points) => warehouse.profile.learn(account, points),
            clock,
            signal,
          }),
        ...(then === undefined
          ? {}
          : {
              reload: (_service: string, signal: AbortSignal) => runThen(then, of, sinkParts.get(), signal),
            }),
      };
    };

  const sinksOf: KeyServices['sinksOf'] = async (account, signal) => {
    const jobs = Object.values(config.jobs).filter(
      (job) => job.kind === 'rotate-keys' && job.account === account && !job.suspend,
    );
    const settings = jobs.flatMap(({ name }) => {
      const found = settingsOf(name, account);
      return found === undefined ? [] : [{ name, found }];
    });
    if (settings.every(({ found }) => found.deliver === undefined)) return [];
    const { keys, at } = await (await keyService(account)).survey(signal);
    const journal = keyRuntime.journals.now();
    const byId = new Map(keys.map(({ key }) => [key.id, key]));
    const gatewayClock = () => warehouse.clocks.of(account);
    const about = { account, journal, clock, gatewayClock };
    const { teams } = costOwnersOf(config.settings, account);
    return settings.flatMap(({ name, found }) => {
      const covered = keys.filter((key) => isSelected(key, found.keys, { teams, now: at }));
      const services = [...new Set(covered.map(({ service }) => service))];
      return services.flatMap((service) =>
        (found.deliver ?? []).map((spec) => ({
          job: name,
          service,
          applies: found.mode === 'apply',
          sink: () => createSink(spec, { account, service }, sinkParts.get()),
          deadKey: async (sink: Sink) => {
            const dead = await deadKeyIn(about, sink, service, byId, signal);
            return dead === undefined ? undefined : deadKeyText(dead);
          },
        })),
      );
    });
  };

  const deliveredBy =
    (account: string) =>
    (key: SurveyedKey): readonly string[] =>
      Object.values(config.jobs).flatMap(({ name }) => {
        const settings = settingsOf(name, account);
        if (settings?.deliver === undefined) return [];
        // A job covers a key before the key reaches the age at which the job rotates it.
        const { olderThan: _olderThan, ...select } = settings.keys;
        const { teams } = costOwnersOf(config.settings, account);
        return isSelected(key, select, { teams, now: clock.now() }) ? [name] : [];
      });

  const templates = [
    ...new Set([
      ...Object.values(config.jobs).flatMap((job) =>
        job.kind === 'rotate-keys' ? [(job.fields as RotateSettings).name] : [],
      ),
      defaultTemplate,
    ]),
  ];

  /** Rechecks a known problem first, since a person may have fixed it meanwhile. */
  const journalNow = async (): Promise<KeyJournal> => {
    if (keyRuntime.journals.now().problem() !== undefined) await keyRuntime.journals.check();
    return keyRuntime.journals.now();
  };

  const probeKeys = async (account: string, signal: AbortSignal): Promise<readonly LearnedPoint[]> => {
    const { gateway } = accounts.get(account);
    const journal = keyRuntime.journals.now();
    return probeKeyUpdates({
      gateway,
      clock,
      signal,
      keys: createProbeKeys({ account, journal, gateway, now: clock.now }),
      learn: (points) => warehouse.profile.learn(account, points),
    });
  };

  const open = (account: string, journal: KeyJournal): KeyService => {
    const { gateway } = accounts.get(account);
    return createKeyService({
      account,
      zone: config.settings.timezone,
      journal,
      gateway: createKeyGateway({
        gateway,
        clock,
        knowledge: async () => updateKnowledge(await warehouse.profile.points(account)),
        probe: (signal) => probeKeys(account, signal),
        distrust: (points) => warehouse.profile.learn(account, points),
      }),
      evidence: warehouse.keys,
      recentCalls: async (names, since, signal) => {
        await using recent = await openRecentLog({
          deps,
          log,
          account: accounts.get(account),
          settings: config.settings.accounts[account]?.gateway,
          signal,
        });
        // Gateways round, so rows may be stamped a little after now.
        const until = unixSeconds(toSeconds(warehouse.clocks.now(account)) + 5);
        await recent.pull(since, until);
        return recent.warehouse.keys.uses(account, names, interval(since, until));
      },
      consumerOf: consumerOf(account),
      deliveredBy: deliveredBy(account),
      plaintexts: keyRuntime.plaintexts,
      unusedUntil: new Map(),
      gates: keyRuntime.gates,
      notify,
      keepInventory: async (keys) => {
        const kept = keys.map((key) => ({ ...key, rest: jsonObject(key.rest) }));
        await warehouse.snapshots.land({ account, takenAt: clock.now(), keys: kept });
      },
      clock,
      gatewayClock: () => warehouse.clocks.of(account),
      compareClock: (stamps) => warehouse.clocks.compare(account, stamps),
      random,
      log: log.with({ account }),
      templates,
    });
  };
  const opened = new Map<string, { readonly journal: KeyJournal; readonly keyService: KeyService }>();
  /** Each operation uses one journal from start to end. */
  const keyService = async (account: string): Promise<KeyService> => {
    if (!Object.hasOwn(config.settings.accounts, account))
      throw fault('wrong-use', `account ${account} is not declared`, {
        advice:
          didYouMean(account, Object.keys(config.settings.accounts)) ??
          'use an account that is declared under `accounts` in tollkeeper.yaml',
      });
    const journal = await journalNow();
    const last = opened.get(account);
    if (last?.journal === journal) return last.keyService;
    const made = open(account, journal);
    opened.set(account, { journal, keyService: made });
    return made;
  };
  return {
    keyService,
    sinksOf,
    // Takes the lock of the account's keys, like every writer.
    probeKeys: async (account, signal) => {
      await journalNow();
      return keyRuntime.gates(`keys of ${account}`, () => probeKeys(account, signal));
    },
    [Symbol.asyncDispose]: sinkParts[Symbol.asyncDispose],
  };
};
