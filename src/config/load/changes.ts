import type { YamlPath } from '../../core/index.ts';
import type { Job } from '../schema/job-schema.ts';
import type { Config } from './load.ts';
import { childOf, keysOf, notesOf, type Schema } from '../schema/schema-walk.ts';
import { isMap, isSecret, showValue } from '../rules/show-value.ts';
import { describePath } from '../rules/messages.ts';

/** The changes of a reload, each as text for a log line. Never contains a secret, nor a value given by reference. */
export type Changes = {
  /** `job daily-spend: timeout 30m → 1h`. Empty when the two configs mean the same. */
  readonly changes: readonly string[];
  /** Changes that apply only after a restart. */
  readonly atNextStart: readonly string[];
};

/** Settings that open files and ports when the daemon starts. */
export const onlyAtStart = ['warehouse', 'database', 'health', 'status', 'metrics'];

type Sides = { readonly before: Config; readonly after: Config };

const same = (left: unknown, right: unknown): boolean => {
  if (left === right) return true;
  if (isSecret(left) || isSecret(right))
    return isSecret(left) && isSecret(right) && left.reveal() === right.reveal();
  if (Array.isArray(left) || Array.isArray(right))
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => same(item, right[index]))
    );
  if (!isMap(left) || !isMap(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => key in right && same(left[key], right[key]))
  );
};

/** `timeout 30m → 1h`; only the fact of the change when a value must not be shown. */
const inMessage = (
  label: string,
  [left, right]: readonly [unknown, unknown],
  schema: Schema | undefined,
  path: YamlPath,
  { before, after }: Sides,
): string => {
  const was = showValue(left, schema, path, before.hidden);
  const is = showValue(right, schema, path, after.hidden);
  if (left === undefined) return is === undefined ? `${label} added` : `${label} ${is} added`;
  if (right === undefined) return was === undefined ? `${label} removed` : `${label} ${was} removed`;
  return was === undefined || is === undefined ? `${label} changed` : `${label} ${was} → ${is}`;
};

/**
 * The differences of two parts of the same shape, separately for the keys of the deepest maps. `from` is where labels
 * begin.
 */
const differences = (
  pair: readonly [unknown, unknown],
  schema: Schema | undefined,
  path: YamlPath,
  from: number,
  sides: Sides,
): string[] => {
  const [left, right] = pair;
  const label = describePath(path.slice(from));
  if (notesOf(schema).pem === true && typeof left === 'string' && left === right) {
    const text = ({ certificates }: Config): string | undefined => certificates.get(left);
    return text(sides.before) === text(sides.after) ? [] : [`${label}: the certificates in its file changed`];
  }
  if (left === right) return [];
  const branches = (value: unknown): boolean => isMap(value) && !isSecret(value);
  const [was, is] = [left ?? {}, right ?? {}];
  if (branches(was) && branches(is) && isMap(was) && isMap(is)) {
    const keys = new Set([...Object.keys(was), ...Object.keys(is)]);
    return [...keys].flatMap((key) =>
      differences([was[key], is[key]], childOf(schema, key), [...path, key], from, sides),
    );
  }
  return same(left, right) ? [] : [inMessage(label, pair, schema, path, sides)];
};

const namedParts = (section: 'accounts' | 'teams', noun: string, sides: Sides): string[] => {
  const [was, is] = [sides.before.settings[section], sides.after.settings[section]];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return names.flatMap((name) => {
    if (!Object.hasOwn(was, name)) return [`${noun} ${name} added`];
    if (!Object.hasOwn(is, name)) return [`${noun} ${name} removed`];
    const path = [section, name];
    const schema = childOf(childOf(sides.after.settingsShape, section), name);
    return differences([was[name], is[name]], schema, path, path.length, sides).map(
      (message) => `${noun} ${name}: ${message}`,
    );
  });
};

const settingsSections = (sides: Sides, isWanted: (section: string) => boolean): string[] => {
  const [was, is] = [sides.before.settings, sides.after.settings] as readonly Readonly<
    Record<string, unknown>
  >[];
  return keysOf(sides.after.settingsShape)
    .filter((section) => section !== 'accounts' && section !== 'teams' && isWanted(section))
    .flatMap((section) =>
      differences(
        [was?.[section], is?.[section]],
        childOf(sides.after.settingsShape, section),
        [section],
        0,
        sides,
      ),
    );
};

const outside = new Set(['name', 'fields', 'place']);

/** A job under its YAML key names. */
export const asWritten = (job: Job): Readonly<Record<string, unknown>> => {
  const common = Object.entries(job)
    .filter(([key]) => !outside.has(key))
    .map(
      ([key, value]) => [key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value] as const,
    );
  return Object.fromEntries<unknown>([...common, ...Object.entries(job.fields)]);
};

const jobChanges = (was: Job, is: Job, sides: Sides): string[] => {
  if (was.kind !== is.kind) return [`kind ${JSON.stringify(was.kind)} → ${JSON.stringify(is.kind)}`];
  const isDefault = (job: Job, { settings }: Config): boolean => job.timezone === settings.timezone;
  // A zone that follows the setting is reported there, once.
  const follows = isDefault(was, sides.before) && isDefault(is, sides.after);
  const pair = [asWritten(was), asWritten(follows ? { ...is, timezone: was.timezone } : is)] as const;
  const path = ['jobs', is.name];
  return same(...pair) ? [] : differences(pair, sides.after.shapes.get(is.kind), path, path.length, sides);
};

/** The changes when the second config replaces the first. */
export const describeChanges = (before: Config, after: Config): Changes => {
  const sides = { before, after };
  const isAtStart = (section: string): boolean => onlyAtStart.includes(section);
  const jobs = [
    ...Object.values(after.jobs).flatMap((job) => {
      const was = before.jobs[job.name];
      if (was === undefined) return [`job ${job.name} added`];
      return jobChanges(was, job, sides).map((message) => `job ${job.name}: ${message}`);
    }),
    ...Object.keys(before.jobs)
      .filter((name) => after.jobs[name] === undefined)
      .map((name) => `job ${name} removed`),
  ];
  return {
    changes: [
      ...settingsSections(sides, (section) => !isAtStart(section)),
      ...namedParts('accounts', 'account', sides),
      ...namedParts('teams', 'team', sides),
      ...jobs,
    ],
    atNextStart: settingsSections(sides, isAtStart),
  };
};
