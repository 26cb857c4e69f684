import { nearest, parseDuration, type YamlPath } from '../../core/index.ts';
import { quoted, type Checked } from './check.ts';
import type { ConfigFault } from '../load/config-fault.ts';
import { hasCronShape, isName } from '../schema/fields.ts';
import type { DeclaredJob } from '../load/read-jobs.ts';
import { eachText, notesOf, valueAt, type Schema } from '../schema/schema-walk.ts';
import { showDuration } from './show-value.ts';
import { adviceForUnknown } from './suggest.ts';
import { z } from 'zod';

/** Names of one kind; caches the advice for each unknown name. */
export type NameList = {
  readonly names: readonly string[];
  readonly has: (name: string) => boolean;
  readonly advice: (name: string, noun: string) => string;
};

export const nameList = (names: readonly string[]): NameList => {
  const all = new Set(names.map((name) => name.normalize('NFC')));
  const advices = new Map<string, string>();
  return {
    names,
    has: (name) => all.has(name.normalize('NFC')),
    advice: (name, noun) => {
      const advice = advices.get(name) ?? adviceForUnknown(name, names, noun);
      advices.set(name, advice);
      return advice;
    },
  };
};

/** All declared names, for rules across files; a list is omitted when its file is unreadable. */
export type Declared = {
  readonly accounts?: NameList;
  readonly teams?: NameList | undefined;
  readonly reports?: NameList;
  readonly jobs?: NameList;
  readonly routes?: NameList;
  readonly hasMail?: boolean;
  readonly hasOperators?: boolean;
};

/** The fields of a declared schedule. */
export type Schedule = {
  readonly expression: string;
  readonly zone: string;
  readonly dayMatch?: 'any' | 'all' | undefined;
};

/** The error of a schedule, as text; undefined when it is valid. */
export type CheckSchedule = (
  schedule: Schedule,
) => { readonly message: string; readonly dayMatch?: 'unused' | 'missing' } | undefined;

/** The longest time between two slots of a valid schedule, in milliseconds, estimated from a few slots. */
export type LongestSpace = (schedule: Schedule) => number | undefined;

const at = (part: Checked<unknown>, path: YamlPath, message: string, advice: string): ConfigFault => ({
  file: part.source.file,
  ...part.source.at(path),
  message,
  advice,
});

/** Whether the field accepts a mail address as well as the name of a route. */
const isAddressee = (schema: Schema): boolean => z.safeParse(schema, 'ops@example.com').success;

/** The fault of a recipient that is neither an address nor a route. */
export const addresseeFault = (
  part: Checked<unknown>,
  path: YamlPath,
  text: string,
  routes: NameList,
): ConfigFault => {
  const meant = nearest(text, routes.names);
  return meant === undefined
    ? at(
        part,
        path,
        `${quoted(part, path)} is neither a mail address nor a route name`,
        'write a mail address with an @, such as ops@example.com, or add the route under routes in tollkeeper.yaml',
      )
    : at(part, path, `unknown route ${quoted(part, path)}`, `did you mean ${JSON.stringify(meant)}?`);
};

/** Every name in the job must be declared. */
export const nameFaults = (job: DeclaredJob, declared: Declared): ConfigFault[] => {
  const faults: ConfigFault[] = [];
  const lists = {
    account: declared.accounts,
    team: declared.teams,
    report: declared.reports,
    job: declared.jobs,
    route: declared.routes,
  };
  eachText(
    job.part.resolved,
    job.shape,
    (text, path, schema) => {
      const { names } = notesOf(schema);
      const known = names === undefined ? undefined : lists[names];
      if (names === undefined || job.part.isBroken(path)) return;
      // A field for routes may also accept mail addresses; the schema reports values that are neither.
      if (names === 'route' && (text.includes('@') || !isName(text))) return;
      if (names === 'job' && text.normalize('NFC') === job.name)
        faults.push(at(job.part, path, `job ${job.name} needs itself`, 'remove it from needs'));
      else if (known !== undefined && !known.has(text))
        faults.push(
          schema !== undefined && isAddressee(schema)
            ? addresseeFault(job.part, path, text, known)
            : at(job.part, path, `unknown ${names} ${quoted(job.part, path)}`, known.advice(text, names)),
        );
    },
    job.part.path,
  );
  return faults;
};

/** Operators that are not mail addresses must be routes. */
export const operatorFaults = (part: Checked<unknown>, declared: Declared): ConfigFault[] => {
  const operators = valueAt(part.resolved, ['mail', 'operators']);
  const { routes } = declared;
  if (!Array.isArray(operators) || routes === undefined) return [];
  return operators.flatMap((text: unknown, index) => {
    const path = ['mail', 'operators', index];
    if (typeof text !== 'string' || text.includes('@') || !isName(text)) return [];
    return routes.has(text) || part.isBroken(path) ? [] : [addresseeFault(part, path, text, routes)];
  });
};

/** Admin Keys with blanks around them, which are removed. */
export const adminKeyWarnings = (part: Checked<unknown>): ConfigFault[] => {
  const accounts = valueAt(part.resolved, ['accounts']);
  return Object.keys(Object(accounts)).flatMap((name) => {
    const path = ['accounts', name, 'admin_key'];
    const key = valueAt(part.resolved, path);
    return typeof key !== 'string' || key === key.trim()
      ? []
      : [
          at(
            part,
            path,
            `${path.join('.')} has blanks or line breaks around the key, which are removed`,
            'store the key without them; `printf %s` writes no line break, `echo` does',
          ),
        ];
  });
};

/** With PostgreSQL there is no file to archive. */
export const databaseFaults = (job: DeclaredJob, settings: unknown): ConfigFault[] => {
  const kind = valueAt(job.part.resolved, ['kind']);
  if (valueAt(settings, ['database']) === undefined || kind !== 'archive') return [];
  return [
    {
      file: job.part.source.file,
      ...job.part.source.atKey([...job.part.path, 'kind']),
      message: `job ${job.name} is of kind archive, which works on the database file, but database is set`,
      advice: 'remove the job; PostgreSQL has a partition of the call log for each month',
    },
  ];
};

/** A job without `account` requires exactly one declared account. */
export const accountFaults = (job: DeclaredJob, declared: Declared): ConfigFault[] => {
  const accounts = declared.accounts?.names;
  if (accounts === undefined || accounts.length === 1 || job.shape === undefined) return [];
  if (valueAt(job.part.resolved, ['account']) !== undefined) return [];
  const place = { file: job.part.source.file, ...job.part.source.atKey(job.part.path) };
  return accounts.length === 0
    ? [
        {
          ...place,
          message: `job ${job.name} has no account: none is configured`,
          advice: 'add an account under accounts in tollkeeper.yaml, with base_url and admin_key',
        },
      ]
    : [
        {
          ...place,
          message: `job ${job.name} does not set its account`,
          advice: `add account: one of ${accounts.join(', ')}`,
        },
      ];
};

export const mailFaults = (job: DeclaredJob, declared: Declared): ConfigFault[] => {
  if (declared.hasMail !== false || job.shape === undefined) return [];
  if (valueAt(job.part.resolved, ['mail']) === undefined) return [];
  return [
    {
      file: job.part.source.file,
      ...job.part.source.atKey([...job.part.path, 'mail']),
      message: `job ${job.name} sends mail, but tollkeeper.yaml has no mail server`,
      advice: 'add mail: { smtp: "${SMTP_URL}", from: you@example.com } to tollkeeper.yaml',
    },
  ];
};

const scheduleOf = (job: DeclaredJob, zone: string): Schedule | undefined => {
  const expression = valueAt(job.part.resolved, ['schedule']);
  const dayMatch = valueAt(job.part.resolved, ['day_match']);
  if (typeof expression !== 'string' || !hasCronShape(expression) || job.shape === undefined)
    return undefined;
  if (job.part.isBroken([...job.part.path, 'schedule'])) return undefined;
  return { expression, zone, ...(dayMatch === 'any' || dayMatch === 'all' ? { dayMatch } : {}) };
};

/** Longer delays would move each run past the next slot. */
const delayFaults = (job: DeclaredJob, schedule: Schedule, longestSpace: LongestSpace): ConfigFault[] => {
  const written = valueAt(job.part.resolved, ['randomized_delay']);
  const delay = typeof written === 'string' ? (parseDuration(written) ?? 0) : 0;
  const space = delay === 0 ? undefined : longestSpace(schedule);
  if (space === undefined || delay <= space) return [];
  const path = [...job.part.path, 'randomized_delay'];
  const message = `jobs.${job.name}.randomized_delay ${quoted(job.part, path)} is longer than the time between two slots (${showDuration(space)})`;
  return [at(job.part, path, message, 'decrease it: it spreads the runs of a slot')];
};

export const scheduleFaults = (
  job: DeclaredJob,
  zone: string,
  check: CheckSchedule,
  longestSpace?: LongestSpace,
): ConfigFault[] => {
  const schedule = scheduleOf(job, zone);
  if (schedule === undefined) return [];
  const problem = check(schedule);
  if (problem === undefined)
    return longestSpace === undefined ? [] : delayFaults(job, schedule, longestSpace);
  const path = [...job.part.path, 'schedule'];
  const { source } = job.part;
  const { message, dayMatch } = problem;
  if (dayMatch === 'unused')
    return [
      {
        file: source.file,
        ...source.atKey([...job.part.path, 'day_match']),
        message: `jobs.${job.name}.${message}`,
        advice: 'remove day_match',
      },
    ];
  const advice =
    dayMatch === 'missing'
      ? 'day_match: any is the behavior of cron'
      : 'fields are: minute hour day month weekday';
  return [at(job.part, path, `jobs.${job.name}.schedule ${quoted(job.part, path)}: ${message}`, advice)];
};

const needsOf = (job: DeclaredJob): string[] => {
  const needs = valueAt(job.part.resolved, ['needs']);
  return Array.isArray(needs) ? needs.filter((need) => typeof need === 'string' && need !== job.name) : [];
};

/**
 * Jobs that never run because they, or jobs they need, are in a dependency cycle; with those of their needs that never
 * run either.
 */
const stuckJobs = (jobs: readonly DeclaredJob[]): Map<string, { job: DeclaredJob; needs: Set<string> }> => {
  const names = new Set(jobs.map(({ name }) => name));
  const stuck = new Map(
    jobs.map((job) => [job.name, { job, needs: new Set(needsOf(job).filter((need) => names.has(need))) }]),
  );
  const neededBy = new Map<string, string[]>();
  for (const [name, { needs }] of stuck)
    for (const need of needs) neededBy.set(need, [...(neededBy.get(need) ?? []), name]);
  const ready = [...stuck].filter(([, { needs }]) => needs.size === 0).map(([name]) => name);
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    stuck.delete(name);
    for (const waiting of neededBy.get(name) ?? []) {
      const { needs } = stuck.get(waiting) ?? {};
      needs?.delete(name);
      if (needs?.size === 0) ready.push(waiting);
    }
  }
  return stuck;
};

/** Jobs in a dependency cycle would wait forever; each cycle is reported once. */
export const dependencyCycleFaults = (jobs: readonly DeclaredJob[]): ConfigFault[] => {
  const stuck = stuckJobs(jobs);
  const seen = new Set<string>();
  const faults: ConfigFault[] = [];
  for (const start of stuck.keys()) {
    const trail: string[] = [];
    let name: string | undefined = start;
    while (name !== undefined && !seen.has(name)) {
      seen.add(name);
      trail.push(name);
      [name] = stuck.get(name)?.needs ?? [];
    }
    const from = name === undefined ? -1 : trail.indexOf(name);
    const first = name === undefined ? undefined : stuck.get(name)?.job;
    if (from < 0 || first === undefined) continue;
    const members = [...trail.slice(from), first.name];
    const ring = members.length > 12 ? [...members.slice(0, 10), '…', first.name] : members;
    faults.push(
      at(
        first.part,
        [...first.part.path, 'needs'],
        `the jobs wait for each other: ${ring.join(' → ')}`,
        'remove one of them from needs',
      ),
    );
  }
  return faults;
};
