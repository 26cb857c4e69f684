import { isMap } from '../rules/show-value.ts';
import { z } from 'zod';
import { nearest } from '../../core/index.ts';
import { checkPart, type Checked } from '../rules/check.ts';
import type { ConfigFault } from './config-fault.ts';
import { isJobName } from '../schema/fields.ts';
import { shapeOf, type JobKind } from '../schema/job-schema.ts';
import type { ResolveDeps } from './resolve.ts';
import { keysOf, valueAt } from '../schema/schema-walk.ts';
import { settingsSchema } from '../schema/settings-schema.ts';
import type { Source } from './source.ts';
import { adviceForUnknown } from '../rules/suggest.ts';

/** One job as declared: its kind may be unknown and its keys wrong. */
export type DeclaredJob = {
  readonly name: string;
  readonly kind?: JobKind | undefined;
  readonly shape?: z.ZodObject | undefined;
  readonly part: Checked<Readonly<Record<string, unknown>>>;
};

const fileShape = z.strictObject({ jobs: z.record(z.string(), z.unknown()).optional() });
const anyJob = z.looseObject({});

const placeOf = (source: Source, path: readonly string[]): string => {
  const { line, column } = source.atKey(path);
  return `${source.file}:${line}:${column}`;
};

const kindFaults = (
  source: Source,
  name: string,
  written: unknown,
  kinds: readonly JobKind[],
): ConfigFault[] => {
  const path = ['jobs', name];
  const known = kinds.map(({ kind }) => kind);
  if (typeof written !== 'object' || written === null || Array.isArray(written))
    return [
      {
        file: source.file,
        ...source.atKey(path),
        message: `jobs.${name} must be a map of keys and values`,
        advice: `write at least ${name}: { kind: … }; kinds: ${known.join(', ')}`,
      },
    ];
  if (!Object.hasOwn(written, 'kind'))
    return [
      {
        file: source.file,
        ...source.atKey(path),
        message: `jobs.${name} has no kind`,
        advice: `add kind: one of ${known.join(', ')}`,
      },
    ];
  const kind = valueAt(written, ['kind']);
  const text = typeof kind === 'string' ? kind : undefined;
  return [
    {
      file: source.file,
      ...source.at([...path, 'kind']),
      message:
        text === undefined ? `jobs.${name}.kind must be text` : `unknown kind of job ${JSON.stringify(text)}`,
      advice: adviceForUnknown(text ?? '', known, 'kind'),
    },
  ];
};

type ReadJobs = {
  readonly jobs: DeclaredJob[];
  readonly faults: ConfigFault[];
  readonly shapes: ReadonlyMap<string, z.ZodObject>;
  /** Whether the name of every job is known: false when a file lacks `jobs:` or has other keys beside it. */
  readonly named: boolean;
};

const looksLikeJob = (value: unknown): boolean => isMap(value) && Object.hasOwn(value, 'kind');

const example = 'pull-logs: { kind: pull-logs, since: 2026-01-01 }';

/** The fault of a file in jobs/ that declares no jobs because of its structure; undefined if `jobs:` exists. */
const withoutJobs = (source: Source, root: unknown): ConfigFault | undefined => {
  const at = { file: source.file, line: 1, column: 1 };
  if (source.value === null)
    return {
      ...at,
      message: 'the file is empty and contains no jobs',
      advice: `write jobs: with jobs below it, such as ${example}, or delete the file`,
    };
  if (!isMap(root) || !Object.values(root).some(looksLikeJob)) {
    // A key that is probably a misspelt `jobs` is reported separately.
    if (isMap(root) && Object.keys(root).some((key) => nearest(key, ['jobs']) !== undefined))
      return undefined;
    return {
      ...at,
      message: 'the file lacks the key "jobs"',
      advice: `write jobs: with jobs below it, such as ${example}`,
    };
  }
  const [first = ''] = Object.keys(root).filter((key) => looksLikeJob(root[key]));
  return {
    file: source.file,
    ...source.atKey([first]),
    message: Object.hasOwn(root, 'jobs')
      ? `job ${JSON.stringify(first)} is written beside the key jobs, not below it`
      : `job ${JSON.stringify(first)} is written without the key jobs above it`,
    advice: 'write jobs: on a line of its own, and indent the jobs below it by two spaces',
  };
};

/** The advice for a key of tollkeeper.yaml in a file of jobs. */
const movedKey = (fault: ConfigFault, root: unknown): ConfigFault => {
  const key = isMap(root)
    ? Object.keys(root).find((name) => fault.message === `unknown key ${JSON.stringify(name)}`)
    : undefined;
  return key !== undefined && keysOf(settingsSchema).includes(key)
    ? { ...fault, advice: `move ${key} to tollkeeper.yaml, or into each job` }
    : fault;
};

/** Reads every job of every file. */
export const readJobs = async (
  sources: readonly Source[],
  kinds: readonly JobKind[],
  deps: ResolveDeps,
): Promise<ReadJobs> => {
  let named = true;
  const jobs: DeclaredJob[] = [];
  const faults: ConfigFault[] = [];
  const first = new Map<string, Source>();
  const shapes = new Map(kinds.map((kind) => [kind.kind, shapeOf(kind)]));
  for (const source of sources) {
    const root = source.value ?? {};
    const entries = valueAt(root, ['jobs']);
    const outlineFault = withoutJobs(source, root);
    if (outlineFault !== undefined) {
      named = false;
      faults.push(outlineFault);
      continue;
    }
    // Names are checked here, so that every job of the file is checked whatever its neighbours are.
    const outline = isMap(root) && isMap(entries) ? { ...root, jobs: {} } : emptied(root);
    const file = await checkPart(source, [], outline, fileShape, deps);
    faults.push(...file.faults.map((fault) => movedKey(fault, root)));
    named &&= file.faults.length === 0;
    if (!isMap(entries)) continue;
    for (const [name, written] of Object.entries(entries)) {
      const path = ['jobs', name];
      // A position lookup takes time, and most jobs have no faults.
      const place = () => ({ file: source.file, ...source.atKey(path) });
      const earlier = first.get(name);
      named &&= isJobName(name);
      if (!isJobName(name))
        faults.push({
          ...place(),
          message: `${JSON.stringify(name)} is not a valid job name`,
          advice: 'use at most 64 letters, digits, ".", "_" and "-", and start with a letter or digit',
        });
      if (earlier !== undefined)
        faults.push({
          ...place(),
          message: `job ${JSON.stringify(name)} is already declared at ${placeOf(earlier, path)}`,
          advice: 'rename one of them',
        });
      else first.set(name, source);
      const kind = kinds.find((candidate) => candidate.kind === valueAt(written, ['kind']));
      const shape = kind === undefined ? undefined : shapes.get(kind.kind);
      if (kind === undefined || shape === undefined) faults.push(...kindFaults(source, name, written, kinds));
      const part = await checkPart(source, path, written, shape ?? anyJob, deps);
      // For a job of an unknown kind only its references can be checked.
      faults.push(...(shape === undefined && !isMap(written) ? [] : part.faults));
      jobs.push({
        name,
        kind,
        shape,
        part,
      });
    }
  }
  return { jobs, faults, shapes, named };
};

/** `jobs:` with nothing below it declares no jobs. */
const emptied = (root: unknown): unknown =>
  isMap(root) && root['jobs'] === null ? { ...root, jobs: {} } : root;
