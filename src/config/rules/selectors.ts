import { tagNames, type TagName } from '../../core/index.ts';
import type { DeclaredJob } from '../load/read-jobs.ts';
import type { Settings } from '../schema/settings-schema.ts';
import { valueAt } from '../schema/schema-walk.ts';
import type { Checked } from './check.ts';
import { describePath } from './messages.ts';

/** A selector of keys, models or tags as it is declared, with its place in the file. */
export type DeclaredSelector = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Where it is declared: `teams.growth.keys[0]`. */
  readonly at: string;
  /** The account whose names it selects; omitted: any. */
  readonly account?: string | undefined;
  /** What it selects by: the names of keys and services, those of models, or a tag of keys. */
  readonly names: 'key' | 'model' | TagName;
  readonly pattern: string;
};

type Path = readonly (string | number)[];
type Found = Pick<DeclaredSelector, 'names' | 'account'>;

const listed = (part: Checked<unknown>, path: Path, found: Found): readonly DeclaredSelector[] => {
  const values = valueAt(part.resolved, path);
  if (!Array.isArray(values)) return [];
  return values.flatMap((_, index) => single(part, [...path, index], found));
};

const single = (part: Checked<unknown>, path: Path, found: Found): readonly DeclaredSelector[] => {
  const pattern = valueAt(part.resolved, path);
  if (typeof pattern !== 'string') return [];
  const place = [...part.path, ...path];
  return [{ file: part.source.file, ...part.source.at(place), at: describePath(place), pattern, ...found }];
};

const ofSettings = (part: Checked<Settings>): readonly DeclaredSelector[] => {
  const { teams = {}, tags = {}, budgets = {} } = part.value ?? {};
  return [
    ...Object.keys(teams).flatMap((name) => listed(part, ['teams', name, 'keys'], { names: 'key' })),
    ...Object.keys(tags).map((pattern): DeclaredSelector => ({
      file: part.source.file,
      ...part.source.atKey(['tags', pattern]),
      at: describePath(['tags', pattern]),
      names: 'key',
      pattern,
    })),
    ...Object.entries(budgets).flatMap(([name, { account }]) => [
      ...single(part, ['budgets', name, 'service'], { names: 'key', account }),
      ...single(part, ['budgets', name, 'keys'], { names: 'key', account }),
      ...single(part, ['budgets', name, 'model'], { names: 'model', account }),
      ...tagNames.flatMap((tag) => single(part, ['budgets', name, 'tag', tag], { names: tag, account })),
    ]),
  ];
};

/** Every selector of the settings and of the jobs: the database shows whether it matches anything. */
export const selectorsOf = (
  settings: Checked<Settings>,
  jobs: readonly (Pick<DeclaredJob, 'part'> & { readonly account: string })[],
): readonly DeclaredSelector[] => [
  ...ofSettings(settings),
  ...jobs.flatMap(({ part, account }) => [
    ...listed(part, ['filters', 'keys'], { names: 'key', account }),
    ...listed(part, ['filters', 'models'], { names: 'model', account }),
    ...tagNames.flatMap((tag) => listed(part, ['filters', 'tags', tag], { names: tag, account })),
    ...single(part, ['keys', 'name'], { names: 'key', account }),
  ]),
];
