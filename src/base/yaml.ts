import { messageOf } from './fault.ts';
import { isMap, isNode, isPair, isScalar, isSeq, parseDocument, visit } from 'yaml';
import type { Document, Pair } from 'yaml';

/** A place in a file; line and column count from 1. */
export type Position = { readonly line: number; readonly column: number };

export type YamlFault = Position & { readonly message: string };

export type YamlPath = readonly (string | number)[];

export type YamlFile = {
  /** Plain data; `null` for an empty file. */
  readonly value: unknown;
  /** Faults of the syntax, duplicate keys among them. */
  readonly faults: readonly YamlFault[];
  /** Where the value at the path stands; the nearest ancestor's place when there is none. */
  readonly positionOf: (path: YamlPath) => Position;
  /** Where the key that the path ends with stands. */
  readonly positionOfKey: (path: YamlPath) => Position;
};

const pairAt = (document: Document, path: YamlPath): Pair | undefined => {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(parent)) return undefined;
  return parent.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(path.at(-1)));
};

const offsetOf = (document: Document, path: YamlPath): number => {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
    const pair = pairAt(document, path.slice(0, length));
    if (isPair(pair) && isNode(pair.key) && pair.key.range) return pair.key.range[0];
  }
  const root = document.contents;
  return isNode(root) && root.range && (isMap(root) || isSeq(root)) ? root.range[0] : 0;
};

/** Aliases are resolved only here: one that names nothing, or that would outgrow memory, throws. */
const plainValue = (
  document: Document,
): { readonly value: unknown; readonly problem?: { readonly message: string; readonly offset: number } } => {
  try {
    return { value: document.toJS() as unknown };
  } catch (error) {
    const source = /\(the anchor must be set before the alias\): (.+)$/.exec(messageOf(error))?.[1];
    let offset = 0;
    visit(document, {
      Alias: (_, alias) => {
        if (alias.source !== source || alias.range == null) return undefined;
        offset = alias.range[0];
        return visit.BREAK;
      },
    });
    const message = source === undefined ? messageOf(error) : `no anchor &${source} stands before this`;
    return { value: null, problem: { message, offset } };
  }
};

/** Places by offset. The library's own line counter has not seen all lines yet when it stops at a fault. */
const placesIn = (text: string): ((offset: number) => Position) => {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    const within = Math.min(Math.max(offset, 0), text.length);
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= within) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: within - (starts[low] ?? 0) + 1 };
  };
};

/** Reads one YAML 1.2 document and keeps where everything stands. Never throws: faults are data. */
export const parseYaml = (text: string): YamlFile => {
  const at = placesIn(text);
  const document = parseDocument(text, {
    prettyErrors: false,
    strict: true,
    logLevel: 'error',
  });
  const faults = document.errors.map((error) => ({ ...at(error.pos[0]), message: error.message }));
  const { value, problem } = faults.length > 0 ? { value: null, problem: undefined } : plainValue(document);
  return {
    value,
    faults: problem === undefined ? faults : [{ ...at(problem.offset), message: problem.message }],
    positionOf: (path) => at(offsetOf(document, path)),
    positionOfKey: (path) => {
      const pair = path.length > 0 ? pairAt(document, path) : undefined;
      return pair && isNode(pair.key) && pair.key.range
        ? at(pair.key.range[0])
        : at(offsetOf(document, path));
    },
  };
};
