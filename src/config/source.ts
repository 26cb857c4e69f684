import type { Position, YamlPath } from '../base/index.ts';
import { parseFile } from './big-file.ts';
import type { ConfigFault } from './config-fault.ts';

/** One YAML file as it was written, with its place in the messages. */
export type Source = {
  readonly file: string;
  /** Whether its syntax could be read; where not, `value` is null. */
  readonly readable: boolean;
  readonly value: unknown;
  readonly at: (path: YamlPath) => Position;
  readonly atKey: (path: YamlPath) => Position;
};

const syntaxAdvice =
  'mend the YAML here; put text in quotes when it begins with one of @ * & ! % { [ or holds ": ", as "${NAME}" in a { … } map does';

const words: readonly (readonly [RegExp, string])[] = [
  [/^Map keys must be unique/, 'this key is written twice'],
  [/^Alias cannot be an empty string/, 'a value cannot begin with * unless it stands in quotes'],
  [/^Tabs are not allowed/, 'indentation must be spaces, not tabs'],
  [/^Source contains multiple documents/, 'the file holds several documents; one is read'],
];

const inWords = (message: string, line: string, column: number): string => {
  if (line.slice(column - 2, column) === '${')
    return 'a reference inside { … } or [ … ] must stand in quotes: "${NAME}"';
  for (const [pattern, text] of words) if (pattern.test(message)) return text;
  if (message.startsWith('no anchor &')) return message;
  return message.length === 0 ? 'not YAML' : `not YAML: ${message}`;
};

const local = /^(this key|a value cannot|not YAML: (Plain value cannot|Missing closing))/;

/** Files deeper than this are no config; it also stops maps that contain themselves through an alias. */
const deepest = 40;

const tooDeep = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (depth > deepest) return true;
  return Object.values(value).some((child) => tooDeep(child, depth + 1));
};

const unreadable = (file: string): Source => {
  const start = { line: 1, column: 1 };
  return { file, readable: false, value: null, at: () => start, atKey: () => start };
};

/** Reads one file's text; its faults come back beside it. */
export const readSource = (file: string, text: string): { source: Source; faults: ConfigFault[] } => {
  const yaml = parseFile(text);
  if (yaml.faults.length > 0) {
    const seen = new Set<number>();
    const lines = text.split('\n');
    const faults = yaml.faults
      .map(({ line, column, message }) => ({
        file,
        line,
        column,
        message: inWords(message, lines[line - 1] ?? '', column),
        advice: message.startsWith('no anchor &') ? 'put text that begins with * in quotes' : syntaxAdvice,
      }))
      // The first slip makes the parser lose its way: after it only what is told of one place alone is worth saying.
      .filter(
        ({ line, message }, index) =>
          (index === 0 || local.test(message)) && !seen.has(line) && seen.add(line),
      );
    return { source: unreadable(file), faults };
  }
  if (tooDeep(yaml.value, 0)) {
    const message = 'the file is nested too deeply, or a part of it contains itself';
    return {
      source: unreadable(file),
      faults: [{ file, line: 1, column: 1, message, advice: 'write it out without & and *' }],
    };
  }
  const source = {
    file,
    readable: true,
    value: yaml.value,
    at: yaml.positionOf,
    atKey: yaml.positionOfKey,
  };
  return { source, faults: [] };
};
