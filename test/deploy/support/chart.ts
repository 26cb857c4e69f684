import { readdir, readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { renderTemplate, type Value } from './render-template.ts';

export type Values = { readonly [key: string]: Value };

export type Chart = {
  /** values.yaml. */
  readonly values: Values & { readonly config: string };
  /** Texts of the templates, by their file names. */
  readonly templates: ReadonlyMap<string, string>;
};

const isMap = (value: Value | undefined): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As Helm merges values: maps entry by entry; null removes an entry; anything else replaces. */
export const mergeValues = (values: Values, changes: Values): Values => {
  const merged: Record<string, Value> = { ...values };
  for (const [key, change] of Object.entries(changes)) {
    const value = merged[key];
    if (change === null) delete merged[key];
    else merged[key] = isMap(change) && isMap(value) ? mergeValues(value, change) : change;
  }
  return merged;
};

/** @param folder URL that ends with a slash */
export const readChart = async (folder: URL): Promise<Chart> => {
  const names = (await readdir(new URL('templates/', folder))).sort();
  const readTemplate = async (name: string) =>
    [name, await readFile(new URL(`templates/${name}`, folder), 'utf8')] as const;
  return {
    values: parse(await readFile(new URL('values.yaml', folder), 'utf8')) as Chart['values'],
    templates: new Map(await Promise.all(names.map(readTemplate))),
  };
};

/** The manifest that `helm template` prints: the YAML documents of each template. */
export const renderChart = (chart: Chart, changes: Values = {}): string => {
  const values = mergeValues(chart.values, changes);
  return [...chart.templates.values()].map((template) => renderTemplate(template, values)).join('\n---\n');
};
