import { tagNames, type TagName } from '../../core/index.ts';
import type { ConfigFault } from '../load/config-fault.ts';
import type { DeclaredJob } from '../load/read-jobs.ts';
import type { Settings } from '../schema/settings-schema.ts';
import { valueAt } from '../schema/schema-walk.ts';
import { quoted, type Checked } from './check.ts';
import { patternsOverlap } from './patterns-overlap.ts';
import { adviceForUnknown } from './suggest.ts';

/** The values that the patterns give a tag. */
export const tagValues = ({ tags }: Settings, name: TagName): readonly string[] => [
  ...new Set(Object.values(tags).flatMap((given) => given[name] ?? [])),
];

/** Patterns with `*` by their literal characters; one without is the most specific. */
const closeness = (pattern: string): number =>
  pattern.includes('*') ? pattern.replaceAll('*', '').length : Number.POSITIVE_INFINITY;

/** A name that matches no pattern of the tag, for budgets and filters. */
export const tagFault = (
  part: Checked<unknown>,
  path: readonly (string | number)[],
  name: TagName,
  value: string,
  settings: Settings,
): ConfigFault | undefined => {
  const values = tagValues(settings, name).map((one) => one.normalize('NFC'));
  const wanted = value.normalize('NFC');
  const matches = wanted.includes('*')
    ? values.some((one) => patternsOverlap(wanted, one))
    : values.includes(wanted);
  return matches
    ? undefined
    : {
        file: part.source.file,
        ...part.source.at(path),
        message: `no key has the ${name} ${quoted(part, path)}`,
        advice:
          values.length === 0
            ? `give keys this tag under tags in tollkeeper.yaml: "prod-*": { ${name}: ${value} }`
            : adviceForUnknown(value, values, name),
      };
};

/** Filters of report jobs must name values that some key can have. */
export const tagFilterFaults = (job: DeclaredJob, settings: Settings | undefined): ConfigFault[] => {
  if (settings === undefined || job.part.value === undefined) return [];
  return tagNames.flatMap((name) => {
    const path = ['filters', 'tags', name];
    const values = valueAt(job.part.resolved, path);
    if (!Array.isArray(values)) return [];
    return values.flatMap((value: unknown, index) => {
      const place = [...job.part.path, ...path, index];
      return typeof value === 'string' ? (tagFault(job.part, place, name, value, settings) ?? []) : [];
    });
  });
};

/** Comparisons of patterns that a check may take: beyond them a configuration is not written by a person. */
const mostComparisons = 20_000;

/** Patterns that match the same names and give a tag different values: allowed, but often a mistake. */
export const tagWarnings = (part: Checked<Settings>): ConfigFault[] => {
  const { value: settings, source } = part;
  if (settings === undefined) return [];
  const entries = Object.entries(settings.tags);
  let compared = 0;
  return entries.flatMap(([pattern, given], index) =>
    entries.slice(0, index).flatMap(([other, before]) => {
      const names = tagNames.filter(
        (name) => given[name] !== undefined && before[name] !== undefined && given[name] !== before[name],
      );
      if (names.length === 0 || compared >= mostComparisons) return [];
      compared += 1;
      if (!patternsOverlap(pattern, other)) return [];
      const winner = closeness(pattern) > closeness(other) ? pattern : other;
      return [
        {
          file: source.file,
          ...source.atKey(['tags', pattern]),
          message: `the patterns ${JSON.stringify(other)} and ${JSON.stringify(pattern)} match the same names and give different values of ${names.join(' and ')}; ${JSON.stringify(winner)} applies`,
          advice: 'if that is not intended, make the patterns disjoint',
        },
      ];
    }),
  );
};
