import type { Facts } from './manifest.ts';

/** Each difference between what a manifest states and what a restored database holds, as a sentence. */
export const differencesOf = (stated: Facts, found: Facts): readonly string[] => {
  const compare = (
    left: Readonly<Record<string, string | number>>,
    right: Readonly<Record<string, string | number>>,
    describe: (name: string) => string,
  ): readonly string[] =>
    [...new Set([...Object.keys(left), ...Object.keys(right)])]
      .toSorted()
      .filter((name) => left[name] !== right[name])
      .map(
        (name) =>
          `${describe(name)}: ${left[name] ?? 'none'} in the manifest, ${right[name] ?? 'none'} restored`,
      );
  return [
    ...compare(stated.rows, found.rows, (table) => `rows of ${table}`),
    ...compare(stated.charges, found.charges, (account) => `charges of ${account}`),
    ...compare(stated.audit, found.audit, (part) => `audit log, ${part}`),
  ];
};
