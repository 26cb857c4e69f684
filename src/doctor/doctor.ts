import { resolve } from 'node:path';
import {
  countText,
  fault,
  firstSignal,
  type Clock,
  type Log,
  type Deps,
  type Progress,
  formatMoment,
} from '../core/index.ts';
import type { Config } from '../config/index.ts';
import type { MailTransport } from '../notify/index.ts';
import type { DoctorCheck, DoctorRequest, DoctorView, LearnedView } from './doctor-view.ts';
import type { Warehouse } from '../warehouse/index.ts';
import { failed, passed, skipped } from './results.ts';
import { checkDatabase } from './database.ts';
import { checkDisk, checkPermissions } from './disk.ts';
import { checkGateway, neededScopes } from './gateway.ts';
import { checkSelectors, namesByAccount } from './selectors.ts';
import { checkSinks } from './sinks.ts';
import { checkThen } from './then.ts';
import { keyWriteKnown, keyWriteTried, type ProbeKeysOf } from './keys.ts';
import { kindPoints } from './kinds.ts';
import { conventionPoints } from './tokens.ts';
import type { DeclaredSink, DoctorAccounts, DoctorPaths } from './deps.ts';

type Quarantined = Awaited<ReturnType<Warehouse['logs']['quarantined']>>;

/** Characters shown of a text from the gateway. */
const longestReason = 200;

/** The number of unreadable rows and the last of them; empty if there are none. */
export const quarantinePoint = (rows: Quarantined, zone: string): LearnedView['points'] => {
  const last = rows.at(-1);
  if (last === undefined) return [];
  const window = `${formatMoment(last.window.start, zone)} to ${formatMoment(last.window.end, zone)}`;
  return [
    {
      point: 'log.quarantine',
      value: `${countText(rows.length, 'row')} unreadable, not included in any total`,
      evidence: `the last at line ${last.line} of the export of ${window}: ${last.reason.slice(0, longestReason)}`,
      how: 'data',
      learnedAt: last.landedAt,
    },
  ];
};

export type DoctorDeps = {
  readonly config: Config;
  /** The folder of the configuration. */
  readonly folder: string;
  readonly accounts: DoctorAccounts;
  readonly transport: MailTransport | undefined;
  readonly paths: DoctorPaths;
  readonly warehouse: Warehouse;
  readonly clock: Clock;
  readonly log: Log;
  readonly where: Pick<Deps, 'cwd' | 'env'>;
  /** Undefined where keys cannot be created. */
  readonly probeKeys?: ProbeKeysOf;
  readonly sinksOf?: (account: string, signal: AbortSignal) => Promise<readonly DeclaredSink[]>;
};

/** The folders that backup jobs write, by job. */
const backupFolders = (
  jobs: readonly Config['jobs'][string][],
  cwd: string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    jobs.flatMap(({ name, kind, suspend, fields }) =>
      kind === 'backup' && !suspend ? [[name, resolve(cwd, String(fields['to']))]] : [],
    ),
  );

/** Milliseconds to wait for a mail server. */
const mailTimeout = 30_000;

/** Connects, starts TLS and logs in if a login is configured; sends nothing. */
const checkMail = async (
  { transport, config, clock }: DoctorDeps,
  signal: AbortSignal,
): Promise<readonly DoctorCheck[]> => {
  const { mail } = config.settings;
  if (transport === undefined || mail === undefined) return [skipped('mail server', 'none is declared')];
  const about = `mail server ${transport.where}`;
  const operators =
    mail.operators.length === 0
      ? [skipped('operators', 'mail.operators is empty, so no one is notified of problems')]
      : [];
  using limit = clock.limit(mailTimeout);
  try {
    using first = firstSignal([signal, limit.signal]);
    const session = await transport.open(first.signal);
    session.close();
    const connected = transport.logsIn ? 'connected and logged in' : 'connected without a login';
    const greeted = transport.ehlo === undefined ? '' : `, greeted as ${transport.ehlo}`;
    const answered = session.answer === '' ? '' : `, which it answered with ${session.answer}`;
    return [passed(about, `${connected}${greeted}${answered}; nothing was sent`), ...operators];
  } catch (error) {
    signal.throwIfAborted();
    const silent = fault('mail-unreachable', `no answer within ${mailTimeout / 1000} seconds`, {
      cause: error,
    });
    return [failed(about, limit.signal.aborted ? silent : error), ...operators];
  }
};

const settingText = (value: string | number | boolean | object): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

const learnedOf = async (
  name: string,
  { config, warehouse }: DoctorDeps,
  signal: AbortSignal,
): Promise<LearnedView> => {
  const gateway = config.settings.accounts[name]?.gateway ?? {};
  const conventions = await warehouse.tokens.conventions(name, signal);
  return {
    account: name,
    points: [
      ...(await warehouse.profile.points(name)),
      ...conventions.flatMap(conventionPoints),
      ...quarantinePoint(await warehouse.logs.quarantined(name), config.settings.timezone),
      ...(await kindPoints(name, warehouse.logs)),
    ],
    past: await warehouse.profile.past(name),
    goneColumns: (await warehouse.profile.columns(name)).flatMap(({ name: column, goneAt }) =>
      goneAt === undefined ? [] : [{ name: column, goneAt }],
    ),
    overrides: Object.entries(gateway).flatMap(([setting, value]) =>
      value === undefined ? [] : [{ setting: `gateway.${setting}`, value: settingText(value) }],
    ),
  };
};

/** Whether keys can be written: from earlier observations, or on request from a temporary key. */
const checkKeyWrites = async (
  account: string,
  { probeKeys: requested }: DoctorRequest,
  { config, warehouse, probeKeys }: DoctorDeps,
  signal: AbortSignal,
): Promise<readonly DoctorCheck[]> => {
  const jobs = neededScopes(Object.values(config.jobs), account).get('keys:write') ?? [];
  const question = {
    account,
    jobs,
    points: await warehouse.profile.points(account),
    zone: config.settings.timezone,
  };
  if (requested !== true) return keyWriteKnown(question);
  if (probeKeys === undefined)
    return [skipped(`temporary key of ${account}`, 'key operations are not available')];
  return keyWriteTried(question, probeKeys, signal);
};

/** Compares the rollup with the call log, and builds the days again that differ. */
const checkRollup = async (
  account: string,
  { rebuild }: DoctorRequest,
  { warehouse: { rollup } }: DoctorDeps,
  signal: AbortSignal,
): Promise<DoctorCheck> => {
  const about = `rollup of ${account}`;
  try {
    if (rebuild === true) {
      const different = await rollup.rebuild(account, signal);
      return different.length === 0
        ? passed(about, 'built again; every figure equals the call log')
        : failed(
            about,
            fault('warehouse-failed', `${countText(different.length, 'day')} differ after a rebuild`),
          );
    }
    const repaired = await rollup.repair(account, signal);
    if (repaired.length === 0) return passed(about, 'equal to the call log');
    return {
      about,
      state: 'warning',
      message: `${countText(repaired.length, 'day')} differed from the call log and were built again`,
      advice:
        'build the reports of these days again; find out what changed the database: a copy that was restored in part, a file edited by hand, or a faulty disk',
    };
  } catch (error) {
    signal.throwIfAborted();
    return failed(about, error);
  }
};

/**
 * Checks everything that the configuration names, and reports what is known about the gateways. Changes nothing there except for a requested
 * temporary key.
 */
export const runDoctor = async (
  request: DoctorRequest,
  deps: DoctorDeps,
  progress: Progress,
  signal: AbortSignal,
): Promise<Omit<DoctorView, 'version'>> => {
  const { config, accounts, paths, warehouse, clock, log } = deps;
  const jobs = Object.values(config.jobs);
  const names = request.account === undefined ? Object.keys(config.settings.accounts) : [request.account];
  const asked = names.map((name) => accounts.get(name));
  progress({ step: 'looking at the disk' });
  const checks: DoctorCheck[] = [
    passed('config', `${countText(asked.length, 'account')} and ${countText(jobs.length, 'job')} configured`),
    ...(await checkPermissions(deps.folder)),
    await checkDatabase(warehouse, paths.path),
    ...(await checkDisk(paths, backupFolders(jobs, deps.where.cwd))),
  ];
  for (const account of asked) {
    progress({ step: 'asking the gateway', detail: account.name });
    const ping = accounts.pingOf(account.name);
    const { spoolDirectory } = paths;
    checks.push(
      ...(await checkGateway({ account, ping, jobs, warehouse, spoolDirectory, clock, log }, signal)),
    );
    progress({ step: 'comparing the rollup with the call log', detail: account.name });
    checks.push(await checkRollup(account.name, request, deps, signal));
    if (request.probeKeys === true) progress({ step: 'testing with a temporary key', detail: account.name });
    checks.push(...(await checkKeyWrites(account.name, request, deps, signal)));
    if (deps.sinksOf !== undefined) {
      progress({ step: 'checking the sinks of keys', detail: account.name });
      checks.push(...(await checkSinks(account.name, deps.sinksOf, signal)));
    }
    checks.push(...checkThen(account.name, config.jobs, deps.where));
  }
  const known = await namesByAccount(Object.keys(config.settings.accounts), warehouse);
  checks.push(...checkSelectors(config, known));
  progress({ step: 'connecting to the mail server' });
  checks.push(...(await checkMail(deps, signal)));
  const learned: LearnedView[] = [];
  for (const name of names) learned.push(await learnedOf(name, deps, signal));
  return { now: clock.now(), zone: config.settings.timezone, checks, learned };
};
