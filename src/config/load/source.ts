import type { Position, YamlPath } from '../../core/index.ts';
import { parseFile } from './big-file.ts';
import type { ConfigFault } from './config-fault.ts';
import { withNames } from './written-names.ts';
import { syntaxMessages } from './syntax-messages.ts';

/** One YAML file as written, with its path for messages. */
export type Source = {
  readonly file: string;
  /** Whether its syntax is valid; otherwise `value` is null. */
  readonly readable: boolean;
  readonly value: unknown;
  readonly at: (path: YamlPath) => Position;
  readonly atKey: (path: YamlPath) => Position;
};

/** The locations of all `<<` keys, which have no meaning in YAML 1.2. */
const mergeKeys = (value: unknown, path: YamlPath = []): readonly YamlPath[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const place = [...path, Array.isArray(value) ? Number(key) : key];
    return key === '<<' ? [place] : mergeKeys(child, place);
  });
};

const unreadable = (file: string): Source => {
  const start = { line: 1, column: 1 };
  return { file, readable: false, value: null, at: () => start, atKey: () => start };
};

/** Parses one file's text; returns its faults too. */
export const readSource = async (
  file: string,
  text: string,
): Promise<{ source: Source; faults: ConfigFault[] }> => {
  const yaml = await parseFile(text);
  if (yaml.faults.length > 0) {
    const faults = syntaxMessages(yaml.faults, text).map((fault) => ({ file, ...fault }));
    return { source: unreadable(file), faults };
  }
  const merges = mergeKeys(yaml.value);
  if (merges.length > 0) {
    const message = 'merge keys (<<) are not supported';
    const advice = 'write out the keys that it stands for';
    const faults = merges.map((path) => ({ file, ...yaml.positionOfKey(path), message, advice }));
    return { source: unreadable(file), faults };
  }
  const named = withNames(yaml);
  const source = {
    file,
    readable: true,
    value: named.value,
    at: named.positionOf,
    atKey: named.positionOfKey,
  };
  const faults = named.repeated.map(({ path, name }) => ({
    file,
    ...yaml.positionOfKey(path),
    message: `${JSON.stringify(name)} is declared twice, with letters that look alike`,
    advice: 'rename one of them: names compare in Unicode form NFC',
  }));
  return { source, faults };
};
