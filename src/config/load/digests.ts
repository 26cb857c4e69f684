import { createHash } from 'node:crypto';
import type { YamlPath } from '../../core/index.ts';
import { isMap, isSecret } from '../rules/show-value.ts';
import { placeKey } from '../schema/schema-walk.ts';
import { asWritten, onlyAtStart } from './changes.ts';
import type { Config } from './load.ts';

/** A digest of each part of a config, by its name: `timezone`, `routes`, `account main`, `job daily-spend`. */
export type ConfigDigests = Readonly<Record<string, string>>;

/** What differs between the replicas of one database without a difference in what they do: files, ports, the log. */
const ofOneReplica = new Set([...onlyAtStart, 'log']);

/** Parts that are compared one by one. */
const named: Readonly<Record<string, string>> = { accounts: 'account', teams: 'team', budgets: 'budget' };

/** Without secrets and values given by reference, which may be guessed from a digest; keys in one order. */
const shownOf = (value: unknown, path: YamlPath, hidden: ReadonlySet<string>): unknown => {
  if (isSecret(value) || hidden.has(placeKey(path))) return 'secret';
  if (Array.isArray(value)) return value.map((item, index) => shownOf(item, [...path, index], hidden));
  if (!isMap(value)) return value;
  return Object.keys(value)
    .sort()
    .filter((key) => value[key] !== undefined)
    .map((key) => [key, shownOf(value[key], [...path, key], hidden)]);
};

/** Characters of a digest, which only has to differ. */
const length = 12;

export const digestsOf = ({ settings, jobs, certificates, hidden }: Config): ConfigDigests => {
  const digests: Record<string, string> = {};
  const add = (name: string, value: unknown, path: YamlPath): void => {
    const text = JSON.stringify(shownOf(value, path, hidden)) ?? '';
    digests[name] = createHash('sha256').update(text).digest('hex').slice(0, length);
  };
  for (const [section, value] of Object.entries(settings)) {
    const noun = named[section];
    if (ofOneReplica.has(section) || value === undefined) continue;
    if (noun === undefined) add(section, value, [section]);
    else for (const [name, part] of Object.entries(value)) add(`${noun} ${name}`, part, [section, name]);
  }
  for (const job of Object.values(jobs)) add(`job ${job.name}`, asWritten(job), ['jobs', job.name]);
  if (certificates.size > 0) add('certificates', Object.fromEntries(certificates), []);
  return digests;
};

/** The parts that are not the same in both, by name. */
export const differingParts = (one: ConfigDigests, other: ConfigDigests): readonly string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => one[name] !== other[name])
    .sort();
