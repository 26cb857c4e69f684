import { isMap } from '../rules/show-value.ts';
import type { YamlFile, YamlPath } from '../../core/index.ts';

/** Sections whose keys are names that a person gives, in letters of any script. */
const sections: readonly string[] = ['jobs', 'teams', 'budgets', 'owners', 'cost_centers'];

export type NamedFile = Pick<YamlFile, 'value' | 'positionOf' | 'positionOfKey'> & {
  /** Names that are equal to another one of their section in Unicode form NFC, with it. */
  readonly repeated: readonly { readonly path: YamlPath; readonly name: string }[];
};

/**
 * The file with names in Unicode form NFC: editors and keyboards write an accent as one character or as two. Positions are found by these names
 * too. Pure.
 */
export const withNames = ({ value, positionOf, positionOfKey }: YamlFile): NamedFile => {
  if (!isMap(value)) return { value, positionOf, positionOfKey, repeated: [] };
  const written = new Map<string, string>();
  const repeated: { readonly path: YamlPath; readonly name: string }[] = [];
  const named = Object.entries(value).map(([section, entries]) => {
    if (!sections.includes(section) || !isMap(entries)) return [section, entries] as const;
    const known = new Set<string>();
    const all = Object.entries(entries).flatMap(([key, entry]) => {
      const name = key.normalize('NFC');
      if (known.has(name)) {
        repeated.push({ path: [section, key], name });
        return [];
      }
      known.add(name);
      if (name !== key) written.set(`${section}\0${name}`, key);
      return [[name, entry] as const];
    });
    return [
      section,
      written.size === 0 && repeated.length === 0 ? entries : Object.fromEntries(all),
    ] as const;
  });
  if (written.size === 0 && repeated.length === 0) return { value, positionOf, positionOfKey, repeated };
  const asWritten = (path: YamlPath): YamlPath => {
    const [section, name, ...rest] = path;
    const key = written.get(`${String(section)}\0${String(name)}`);
    return section === undefined || key === undefined ? path : [section, key, ...rest];
  };
  return {
    value: Object.fromEntries(named),
    positionOf: (path) => positionOf(asWritten(path)),
    positionOfKey: (path) => positionOfKey(asWritten(path)),
    repeated,
  };
};
