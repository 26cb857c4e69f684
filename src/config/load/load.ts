import { isMap } from '../rules/show-value.ts';
import type { z } from 'zod';
import {
  dateAt,
  isDate,
  toSeconds,
  unixMillis,
  type SecretRegistry,
  type UnixMillis,
  type YamlPath,
  isKnownZone,
} from '../../core/index.ts';
import { readCertificates } from '../rules/certificates.ts';
import { checkPart, quoted, redacted, type Checked } from '../rules/check.ts';
import { sortFaults, type ConfigFault } from './config-fault.ts';
import type { Job, JobKind } from '../schema/job-schema.ts';
import { alertFaults, budgetFaults } from '../rules/budget-rules.ts';
import { kindFaults } from '../rules/kind-rules.ts';
import { budgetWarnings, type AlertJob } from '../rules/budget-warnings.ts';
import { statusWarnings } from '../rules/status-warnings.ts';
import { tagFilterFaults, tagWarnings } from '../rules/tag-rules.ts';
import { policyFaults } from '../rules/policy-rules.ts';
import { readJobs, type DeclaredJob } from './read-jobs.ts';
import { recordReads, type ReadFiles } from './read-files.ts';
import { readSources, type ConfigFiles } from './read-sources.ts';
import { reportFaults } from '../rules/report-rules.ts';
import { selectorsOf, type DeclaredSelector } from '../rules/selectors.ts';
import {
  accountFaults,
  adminKeyWarnings,
  databaseFaults,
  mailFaults,
  nameFaults,
  nameList,
  operatorFaults,
  dependencyCycleFaults,
  scheduleFaults,
  type CheckSchedule,
  type Declared,
  type LongestSpace,
} from '../rules/rules.ts';
import type { ChannelKind } from '../schema/routes-schema.ts';
import { keysOf, placeKey, schemaAt, valueAt } from '../schema/schema-walk.ts';
import { settingsSchema, settingsSchemaOf, warehousePath, type Settings } from '../schema/settings-schema.ts';
import { toJob, withScheduleOfNeeds } from './to-job.ts';

export type Config = {
  readonly settings: Settings;
  /** By name, in file order; without a prototype, so that any name can be looked up. */
  readonly jobs: Readonly<Record<string, Job>>;
  /** The text of each PEM file in `tls.ca`, by the path as given. */
  readonly certificates: ReadonlyMap<string, string>;
  /** Locations whose value was given by reference and must not be shown, in the format of `placeKey`. */
  readonly hidden: ReadonlySet<string>;
  /** The schema of the settings. */
  readonly settingsShape: z.ZodType<Settings>;
  /** The complete schema of the jobs of each kind. */
  readonly shapes: ReadonlyMap<string, z.ZodObject>;
  /** Whether they match anything is in the database. */
  readonly selectors: readonly DeclaredSelector[];
};

export type LoadOptions = ConfigFiles & {
  /** The folder with tollkeeper.yaml and jobs/. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretRegistry;
  readonly kinds: readonly JobKind[];
  /** The channels that routes may use. */
  readonly channels: readonly ChannelKind[];
  /** Returns the error of a schedule, if any. */
  readonly checkSchedule?: CheckSchedule;
  /** Milliseconds UTC; when omitted, first days in the future are not checked. */
  readonly now?: UnixMillis;
  /** Called for valid schedules with delayed runs. */
  readonly longestSpace?: LongestSpace;
  /** Folders with one subfolder per report; when omitted, report names are not checked. */
  readonly reportFolders?: readonly string[];
};

export type Loaded = {
  readonly config?: Config;
  readonly faults: readonly ConfigFault[];
  /** What is valid but probably unintended. */
  readonly warnings?: readonly ConfigFault[];
  /** Everything that was read, including missing folders and files. */
  readonly read: ReadFiles;
  /** The fingerprint of everything read; `fingerprintConfig` returns the same until something changes. */
  readonly fingerprint: string;
  /** The database file as in tollkeeper.yaml, or the default; available even if other settings are invalid. */
  readonly warehousePath?: string;
};

/** A section with nothing below its key, for example with all lines commented out, counts as omitted. */
const withoutEmptySections = (value: unknown): unknown =>
  isMap(value) ? Object.fromEntries(Object.entries(value).filter(([, section]) => section !== null)) : value;

const namesIn = (tree: unknown, key: string): string[] | undefined => {
  if (tree === null) return [];
  const section = valueAt(tree, [key]) ?? {};
  return isMap(section) ? Object.keys(section) : undefined;
};

/** Whether a missing section may exist under an unknown key. */
const hasUnknownKey = (section: unknown, path: YamlPath): boolean =>
  isMap(section) && Object.keys(section).some((key) => !keysOf(schemaAt(settingsSchema, path)).includes(key));

const list = (key: 'accounts' | 'teams' | 'routes', tree: unknown): Partial<Declared> => {
  const names = namesIn(tree, key);
  return names === undefined || (!Object.hasOwn(Object(tree), key) && hasUnknownKey(tree, []))
    ? {}
    : { [key]: nameList(names) };
};

const zoneFor = (job: DeclaredJob, settings: unknown): string => {
  const named = valueAt(job.part.resolved, ['timezone']) ?? valueAt(settings, ['timezone']);
  return typeof named === 'string' && isKnownZone(named) ? named : 'UTC';
};

/** The path of the database, if tollkeeper.yaml is readable so far. */
const warehousePathOf = (part: Checked<Settings>): string | undefined => {
  const section = valueAt(part.resolved, ['warehouse']) ?? {};
  if (!isMap(section) || part.isBroken(['warehouse', 'path'])) return undefined;
  const parsed = warehousePath.safeParse(section['path']);
  return parsed.success ? parsed.data : undefined;
};

const reportsIn = async (folders: readonly string[], files: ConfigFiles): Promise<string[]> => {
  const lists = await Promise.all(folders.map((folder) => files.listFiles(folder).catch(() => [])));
  return [...new Set(lists.flat())].sort();
};

const declaredIn = (
  settings: unknown,
  jobs: readonly DeclaredJob[],
  reports: readonly string[] | undefined,
  complete: boolean,
): Declared => {
  const mail = valueAt(settings, ['mail']);
  const operators = valueAt(mail, ['operators']) ?? [];
  const mailKnown = mail !== undefined || !hasUnknownKey(settings, []);
  return {
    ...(!isMap(settings)
      ? {}
      : {
          ...list('accounts', settings),
          ...list('teams', settings),
          ...list('routes', settings),
          ...(mailKnown ? { hasMail: mail !== undefined } : {}),
          ...(mailKnown && !hasUnknownKey(mail, ['mail'])
            ? { hasOperators: !Array.isArray(operators) || operators.length > 0 }
            : {}),
        }),
    ...(reports === undefined ? {} : { reports: nameList(reports) }),
    ...(complete ? { jobs: nameList(jobs.map((job) => job.name)) } : {}),
  };
};

/** Whether all jobs are fully known: then a missing name is not declared anywhere. */
const isComplete = (jobs: readonly DeclaredJob[], declared: Declared): boolean =>
  declared.jobs !== undefined &&
  jobs.every(({ part, shape }) => {
    const account = valueAt(part.resolved, ['account']);
    return (
      shape !== undefined &&
      part.value !== undefined &&
      (account === undefined || (typeof account === 'string' && declared.accounts?.has(account) === true))
    );
  });

/** Pulls find no data before their first day. `today` is a date, YYYY-MM-DD. */
const sinceFaults = (job: DeclaredJob, today: string): ConfigFault[] => {
  const since = valueAt(job.part.resolved, ['since']);
  const path = [...job.part.path, 'since'];
  if (job.shape === undefined || typeof since !== 'string' || !isDate(since) || since <= today) return [];
  return [
    {
      file: job.part.source.file,
      ...job.part.source.at(path),
      message: `jobs.${job.name}.since is in the future: ${quoted(job.part, path)}`,
      advice: `write the first day to pull, ${today} or before`,
    },
  ];
};

/** Rules across files. */
const rulesOf = (
  jobs: readonly DeclaredJob[],
  declared: Declared,
  settings: unknown,
  { checkSchedule, longestSpace, now }: LoadOptions,
): ConfigFault[] => {
  const faults = [
    ...dependencyCycleFaults(jobs),
    ...kindFaults(jobs, {
      accounts: declared.accounts?.names,
      complete: isComplete(jobs, declared),
      zoneOf: (job) => zoneFor(job, settings),
      checkSchedule,
      longestSpace,
    }),
  ];
  const todays = new Map<string, string>();
  const todayIn = (zone: string): string => {
    const today = todays.get(zone) ?? dateAt(toSeconds(now ?? unixMillis(0)), zone);
    todays.set(zone, today);
    return today;
  };
  for (const job of jobs) {
    faults.push(
      ...nameFaults(job, declared),
      ...accountFaults(job, declared),
      ...mailFaults(job, declared),
      ...policyFaults(job, declared),
      ...reportFaults(job, declared),
      ...(now === undefined ? [] : sinceFaults(job, todayIn(zoneFor(job, settings)))),
    );
    if (checkSchedule !== undefined)
      faults.push(...scheduleFaults(job, zoneFor(job, settings), checkSchedule, longestSpace));
  }
  return faults;
};

const alertJobs = (
  jobs: readonly DeclaredJob[],
  byName: Readonly<Record<string, Job>>,
): readonly AlertJob[] =>
  jobs.flatMap(({ name, kind }) => {
    const job = kind?.sendsAlerts === true ? byName[name] : undefined;
    const budgets = job?.fields['budgets'];
    return job === undefined
      ? []
      : [{ account: job.account, budgets: Array.isArray(budgets) ? budgets.map(String) : undefined }];
  });

const loadFrom = async (options: LoadOptions): Promise<Omit<Loaded, 'read' | 'fingerprint'>> => {
  const sources = await readSources(options.folder, options);
  const { settings } = sources;
  const settingsShape = settingsSchemaOf(options.channels);
  const part =
    settings?.readable === true
      ? await checkPart(settings, [], withoutEmptySections(settings.value ?? {}), settingsShape, options)
      : undefined;
  const readable = sources.jobs.filter((source) => source.readable);
  const { jobs, shapes, named, faults: jobFaults } = await readJobs(readable, options.kinds, options);
  // An empty file is valid until there are jobs.
  const hasJobs = isMap(settings?.value) && Object.hasOwn(settings.value, 'jobs');
  const isEmpty = settings?.readable === true && settings.value === null && jobs.length > 0;
  const { reportFolders } = options;
  const reports = reportFolders === undefined ? undefined : await reportsIn(reportFolders, options);
  const declared = declaredIn(
    isEmpty ? undefined : part?.resolved,
    jobs,
    reports,
    named && sources.complete && readable.length === sources.jobs.length && !hasJobs,
  );
  const emptyFault = {
    file: settings?.file ?? '',
    line: 1,
    column: 1,
    message: 'the file is empty: no account is configured for the jobs',
    advice:
      'write accounts: { main: { base_url: "${GATEWAY_BASE_URL}", admin_key: "${GATEWAY_ADMIN_KEY}" } }',
  };
  const pem = part === undefined ? undefined : await readCertificates(part, settingsShape, options);
  const faults = [
    ...sources.faults,
    ...(part?.faults ?? []),
    ...(isEmpty ? [emptyFault] : []),
    ...(pem?.faults ?? []),
    ...jobFaults,
    ...(part === undefined
      ? []
      : [...operatorFaults(part, declared), ...budgetFaults(part, declared, options.kinds)]),
    ...jobs.flatMap((job) => [
      ...alertFaults(job, declared, part?.value),
      ...tagFilterFaults(job, part?.value),
      ...databaseFaults(job, part?.resolved),
    ]),
    ...rulesOf(jobs, declared, part?.resolved, options),
  ];
  const path = part === undefined ? undefined : warehousePathOf(part);
  const warehouse = path === undefined ? {} : { warehousePath: path };
  const checked = part?.value;
  if (faults.length > 0 || part === undefined || checked === undefined || pem === undefined)
    return { faults: redacted(sortFaults(faults), options.secrets), ...warehouse };
  const byName: Record<string, Job> = Object.create(null) as Record<string, Job>;
  for (const declaredJob of jobs) {
    const job = toJob(declaredJob, checked);
    if (job !== undefined) byName[job.name] = job;
  }
  for (const { name, kind } of jobs) {
    const job = byName[name];
    if (job !== undefined && kind?.runsAfterNeeds === true) byName[name] = withScheduleOfNeeds(job, byName);
  }
  const parts: readonly Checked<unknown>[] = [part, ...jobs.map((job) => job.part)];
  const hidden = new Set(parts.flatMap((one) => one.hidden.map(placeKey)));
  const config = {
    settings: checked,
    jobs: byName,
    certificates: pem.certificates,
    hidden,
    settingsShape,
    shapes,
    selectors: selectorsOf(
      part,
      jobs.flatMap((job) => {
        const account = byName[job.name]?.account;
        return account === undefined ? [] : [{ part: job.part, account }];
      }),
    ),
  };
  return {
    config,
    faults: [],
    warnings: redacted(
      sortFaults([
        ...adminKeyWarnings(part),
        ...tagWarnings(part),
        ...budgetWarnings(part, alertJobs(jobs, byName)),
        ...statusWarnings(part),
      ]),
      options.secrets,
    ),
    ...warehouse,
  };
};

/**
 * Reads the whole config and returns either it or every fault of every file, with positions. Never rejects because of
 * file contents; secrets are registered for redaction as they are read.
 */
export const loadConfig = async (options: LoadOptions): Promise<Loaded> => {
  const recorder = recordReads(options);
  const loaded = await loadFrom({ ...options, ...recorder.files });
  return { ...loaded, read: recorder.read(), fingerprint: recorder.fingerprint() };
};
