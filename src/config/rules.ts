import type { YamlPath } from '../base/index.ts';
import { quoted } from './check.ts';
import type { Checked } from './check.ts';
import type { ConfigFault } from './config-fault.ts';
import { hasCronShape } from './fields.ts';
import type { DeclaredJob } from './read-jobs.ts';
import { eachText, notesOf, valueAt } from './schema-walk.ts';
import { adviceForUnknown } from './suggest.ts';

/** What is declared, for rules that look across files; a list is missing when its file could not be read. */
export type Declared = {
  readonly accounts?: readonly string[];
  readonly teams?: readonly string[];
  readonly reports?: readonly string[];
  readonly jobs?: readonly string[];
  readonly hasMail?: boolean;
};

export type CheckSchedule = (expression: string, zone: string) => string | undefined;

const at = (part: Checked<unknown>, path: YamlPath, message: string, advice: string): ConfigFault => ({
  file: part.source.file,
  ...part.source.at(path),
  message,
  advice,
});

/** Every name in the job must be declared somewhere. */
export const nameFaults = (job: DeclaredJob, declared: Declared): ConfigFault[] => {
  const faults: ConfigFault[] = [];
  const lists = {
    account: declared.accounts,
    team: declared.teams,
    report: declared.reports,
    job: declared.jobs,
  };
  eachText(
    job.part.resolved,
    job.shape,
    (text, path, schema) => {
      const { names } = notesOf(schema);
      const known = names === undefined ? undefined : lists[names];
      if (names === undefined || job.part.isBroken(path)) return;
      if (names === 'job' && text === job.name)
        faults.push(at(job.part, path, `job ${job.name} needs itself`, 'remove it from needs'));
      else if (known !== undefined && !known.includes(text)) {
        const advice = adviceForUnknown(text, known, names);
        faults.push(at(job.part, path, `unknown ${names} ${quoted(job.part, path)}`, advice));
      }
    },
    job.part.path,
  );
  return faults;
};

/** A job that names no account must have exactly one to choose from. */
export const accountFaults = (job: DeclaredJob, declared: Declared): ConfigFault[] => {
  const { accounts } = declared;
  if (accounts === undefined || accounts.length === 1 || job.shape === undefined) return [];
  if (valueAt(job.part.resolved, ['account']) !== undefined) return [];
  const place = { file: job.part.source.file, ...job.part.source.atKey(job.part.path) };
  return accounts.length === 0
    ? [
        {
          ...place,
          message: `job ${job.name} has no account to work on: none is declared`,
          advice: 'declare one under accounts in tollkeeper.yaml, with base_url and admin_key',
        },
      ]
    : [
        {
          ...place,
          message: `job ${job.name} does not say which account it works on`,
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
      message: `job ${job.name} sends mail, and tollkeeper.yaml declares no mail server`,
      advice: 'add mail: { smtp: "${SMTP_URL}", from: you@example.com } to tollkeeper.yaml',
    },
  ];
};

export const scheduleFaults = (job: DeclaredJob, zone: string, check: CheckSchedule): ConfigFault[] => {
  const expression = valueAt(job.part.resolved, ['schedule']);
  const path = [...job.part.path, 'schedule'];
  if (typeof expression !== 'string' || !hasCronShape(expression) || job.shape === undefined) return [];
  const problem = check(expression, zone);
  if (problem === undefined || job.part.isBroken(path)) return [];
  return [
    at(
      job.part,
      path,
      `jobs.${job.name}.schedule ${quoted(job.part, path)}: ${problem}`,
      'fields are: minute hour day month weekday',
    ),
  ];
};

const needsOf = (job: DeclaredJob): string[] => {
  const needs = valueAt(job.part.resolved, ['needs']);
  return Array.isArray(needs) ? needs.filter((need) => typeof need === 'string' && need !== job.name) : [];
};

/** Jobs that do not get to run because they, or what they need, wait in a ring; with those of their needs that do not either. */
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

/** Jobs that wait for one another in a ring would wait for ever; each ring is told once. */
export const ringFaults = (jobs: readonly DeclaredJob[]): ConfigFault[] => {
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
        `jobs wait for one another: ${ring.join(' → ')}`,
        'take one of them out of needs',
      ),
    );
  }
  return faults;
};
