import type { z } from 'zod';
import { isZone, messageOf } from '../base/index.ts';
import type { SecretRegistry } from '../base/index.ts';
import { checkPart, redacted } from './check.ts';
import type { Checked } from './check.ts';
import { sortFaults } from './config-fault.ts';
import type { ConfigFault } from './config-fault.ts';
import type { Job, JobKind } from './job-schema.ts';
import { ownKeys } from './job-schema.ts';
import type { commonShape } from './job-schema.ts';
import { readJobs } from './read-jobs.ts';
import type { DeclaredJob } from './read-jobs.ts';
import { readSources } from './read-sources.ts';
import type { ConfigFiles } from './read-sources.ts';
import { accountFaults, mailFaults, nameFaults, ringFaults, scheduleFaults } from './rules.ts';
import type { CheckSchedule, Declared } from './rules.ts';
import { eachText, notesOf, valueAt } from './schema-walk.ts';
import { settingsSchema } from './settings-schema.ts';
import type { Settings } from './settings-schema.ts';

export type Config = {
  readonly settings: Settings;
  /** By name, in the order of the files; without a prototype, so that any name can be looked up. */
  readonly jobs: Readonly<Record<string, Job>>;
  /** The text of each PEM file that a `tls.ca` names, by the path as given. */
  readonly certificates: ReadonlyMap<string, string>;
};

export type LoadOptions = ConfigFiles & {
  /** The folder that holds tollkeeper.yaml and jobs/. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretRegistry;
  readonly kinds: readonly JobKind[];
  /** What is wrong with a cron expression in a zone, if anything. */
  readonly checkSchedule?: CheckSchedule;
  /** Names of the reports there are; not checked when left out. */
  readonly reports?: readonly string[];
};

export type Loaded = { readonly config?: Config; readonly faults: readonly ConfigFault[] };

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A section with nothing below its key, all its lines commented out, counts as left out. */
const withoutEmptySections = (value: unknown): unknown =>
  isMap(value) ? Object.fromEntries(Object.entries(value).filter(([, section]) => section !== null)) : value;

const namesIn = (tree: unknown, key: string): string[] | undefined => {
  if (tree === null) return [];
  const section = valueAt(tree, [key]) ?? {};
  return isMap(section) ? Object.keys(section) : undefined;
};

const list = (key: 'accounts' | 'teams', tree: unknown): Partial<Declared> => {
  const names = namesIn(tree, key);
  return names === undefined ? {} : { [key]: names };
};

const readCertificates = async (
  part: Checked<Settings>,
  files: ConfigFiles,
): Promise<{ certificates: Map<string, string>; faults: ConfigFault[] }> => {
  const places: { readonly path: string; readonly place: readonly (string | number)[] }[] = [];
  eachText(part.resolved, settingsSchema, (path, place, schema) => {
    if (notesOf(schema).pem === true && !part.isBroken(place)) places.push({ path, place });
  });
  const certificates = new Map<string, string>();
  const faults: ConfigFault[] = [];
  for (const { path, place } of places) {
    const text = await files.readFile(path).catch((error: unknown) => ({ problem: messageOf(error) }));
    if (typeof text === 'string' && text.includes('-----BEGIN CERTIFICATE-----'))
      certificates.set(path, text);
    else
      faults.push({
        file: part.source.file,
        ...part.source.at(place),
        message:
          typeof text === 'string'
            ? `${place.join('.')} names a file without a certificate in it`
            : `${place.join('.')} names a file that cannot be read`,
        advice: 'give the path of a PEM file that holds "-----BEGIN CERTIFICATE-----"',
      });
  }
  return { certificates, faults };
};

const toJob = (declared: DeclaredJob, settings: Settings): Job | undefined => {
  const { value, source, path } = declared.part;
  // The shape of every kind holds the common one, so that its keys have these types.
  const common = value as z.output<typeof commonShape> | undefined;
  const account = common?.account ?? Object.keys(settings.accounts)[0];
  if (value === undefined || common === undefined || account === undefined || declared.kind === undefined)
    return undefined;
  return {
    name: declared.name,
    kind: declared.kind.kind,
    account,
    timezone: common.timezone ?? settings.timezone,
    ...(common.schedule === undefined ? {} : { schedule: common.schedule }),
    ...(common.day_match === undefined ? {} : { dayMatch: common.day_match }),
    suspend: common.suspend,
    timeout: common.timeout,
    needs: common.needs,
    needsDeadline: common.needs_deadline,
    whenLate: common.when_late,
    catchup: common.catchup,
    ...(common.catchup_window === undefined ? {} : { catchupWindow: common.catchup_window }),
    maxCatchupRuns: common.max_catchup_runs,
    ...(common.starting_deadline === undefined ? {} : { startingDeadline: common.starting_deadline }),
    concurrency: common.concurrency,
    retries: common.retries,
    randomizedDelay: common.randomized_delay,
    locks: common.locks,
    notify: common.notify,
    ...(common.notify_to === undefined ? {} : { notifyTo: common.notify_to }),
    ...(common.heartbeat_url === undefined ? {} : { heartbeatUrl: common.heartbeat_url }),
    fields: Object.fromEntries(ownKeys(Object.keys(value)).map((key) => [key, value[key]])),
    // Looked up when it is asked for: a file may hold thousands of jobs.
    get place() {
      return { file: source.file, ...source.atKey(path) };
    },
  };
};

const zoneFor = (job: DeclaredJob, settings: unknown): string => {
  const named = valueAt(job.part.resolved, ['timezone']) ?? valueAt(settings, ['timezone']);
  return typeof named === 'string' && isZone(named) ? named : 'UTC';
};

/**
 * Reads the whole config and returns either it or every fault of every file, each with its place. Never rejects for
 * what the files hold; secrets are registered for redaction as they are read.
 */
export const loadConfig = async (options: LoadOptions): Promise<Loaded> => {
  const sources = await readSources(options.folder, options);
  const { settings } = sources;
  const faults: ConfigFault[] = [...sources.faults];
  const part =
    settings?.readable === true
      ? await checkPart(settings, [], withoutEmptySections(settings.value ?? {}), settingsSchema, options)
      : undefined;
  const { jobs, faults: jobFaults } = await readJobs(
    sources.jobs.filter((source) => source.readable),
    options.kinds,
    options,
  );
  const known = part === undefined ? undefined : part.resolved;
  const complete = sources.jobs.every((source) => source.readable);
  const declared: Declared = {
    ...(known === undefined ? {} : { ...list('accounts', known), ...list('teams', known) }),
    ...(options.reports === undefined ? {} : { reports: options.reports }),
    ...(complete ? { jobs: jobs.map((job) => job.name) } : {}),
    ...(known === undefined ? {} : { hasMail: valueAt(known, ['mail']) !== undefined }),
  };
  const pem = part === undefined ? undefined : await readCertificates(part, options);
  faults.push(...(part?.faults ?? []), ...(pem?.faults ?? []), ...jobFaults, ...ringFaults(jobs));
  for (const job of jobs) {
    faults.push(...nameFaults(job, declared), ...accountFaults(job, declared), ...mailFaults(job, declared));
    if (options.checkSchedule !== undefined)
      faults.push(...scheduleFaults(job, zoneFor(job, known), options.checkSchedule));
  }
  if (faults.length > 0 || part?.value === undefined || pem === undefined)
    return { faults: redacted(sortFaults(faults), options.secrets) };
  const checked = part.value;
  const byName: Record<string, Job> = Object.create(null) as Record<string, Job>;
  for (const declaredJob of jobs) {
    const job = toJob(declaredJob, checked);
    if (job !== undefined) byName[job.name] = job;
  }
  return { config: { settings: checked, jobs: byName, certificates: pem.certificates }, faults: [] };
};
