import { encodingFault } from './encoding.ts';
import { messageOf } from './fault.ts';
import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  type Document,
  type Node,
  type YAMLError,
} from 'yaml';

/** A place in a file; line and column count from 1. */
export type Position = { readonly line: number; readonly column: number };

export type YamlFault = Position & {
  readonly message: string;
  /** The kind of fault, by a code of the parser or of Tollkeeper. */
  readonly code?: string | undefined;
  /** Where the quoted text, list or map begins that is never closed. */
  readonly opened?: Position;
  /** For DUPLICATE_KEY: the key, and the line of its first occurrence. */
  readonly duplicate?: { readonly key: string; readonly firstLine: number };
};

export type YamlPath = readonly (string | number)[];

export type YamlFile = {
  /** Plain data; `null` for an empty file. */
  readonly value: unknown;
  /** Syntax faults, including duplicate keys. */
  readonly faults: readonly YamlFault[];
  /** The position of the value at the path, or of the nearest ancestor when there is none. */
  readonly positionOf: (path: YamlPath) => Position;
  /** The position of the last key of the path. */
  readonly positionOfKey: (path: YamlPath) => Position;
};

/**
 * The positions of the parts of one map or list, by offset; stored instead of the document, which is many times larger.
 */
type Collection = {
  /** For a map, in file order; omitted for a list. */
  readonly keys?: readonly string[] | undefined;
  readonly keyStarts: number[];
  /** -1 when there is no value. */
  readonly starts: number[];
  readonly inner: (Collection | undefined)[];
  /** Created on the first lookup in a large map. */
  byKey?: ReadonlyMap<string, number>;
};

/** Deeper files are no config. The limit also stops maps that contain themselves through an alias. */
const deepest = 40;

/**
 * All nodes, each before those within it. The walk of the library keeps the path of each node, which takes the square of
 * the depth in memory.
 */
const nodesOf = (document: Document): readonly Node[] => {
  const nodes: Node[] = [];
  const pending: unknown[] = [document.contents];
  while (pending.length > 0) {
    const next = pending.pop();
    if (isPair(next)) pending.push(next.value, next.key);
    if (!isNode(next)) continue;
    nodes.push(next);
    if (isMap(next) || isSeq(next))
      for (let at = next.items.length - 1; at >= 0; at -= 1) pending.push(next.items[at]);
  }
  return nodes;
};

const startOf = (node: unknown): number => (isNode(node) && node.range ? node.range[0] : -1);

const collectionOf = (node: unknown, depth = 0): Collection | undefined => {
  if (depth > deepest || !(isMap(node) || isSeq(node))) return undefined;
  const keys: string[] = [];
  const collection = { keyStarts: [] as number[], starts: [] as number[], inner: [] as Collection['inner'] };
  for (const item of node.items) {
    const value = isPair(item) ? item.value : item;
    if (isMap(node)) {
      if (!isPair(item) || !isScalar(item.key)) continue;
      keys.push(String(item.key.value));
      collection.keyStarts.push(startOf(item.key));
    }
    collection.starts.push(startOf(value));
    collection.inner.push(collectionOf(value, depth + 1));
  }
  return isMap(node) ? { ...collection, keys } : collection;
};

/** Maps with at most so many keys are searched linearly. */
const few = 16;

const indexOf = (collection: Collection, key: string | number): number => {
  const { keys } = collection;
  if (keys === undefined) return typeof key === 'number' && key in collection.starts ? key : -1;
  if (keys.length <= few) return keys.indexOf(String(key));
  collection.byKey ??= new Map(keys.map((name, index) => [name, index]));
  return collection.byKey.get(String(key)) ?? -1;
};

type Places = { readonly root: Collection | undefined; readonly start: number };

/** The offset of the value at the path, or of the nearest ancestor with a position. */
const offsetOf = ({ root, start }: Places, path: YamlPath): number => {
  let offset = start;
  let collection = root;
  for (const key of path) {
    const index = collection === undefined ? -1 : indexOf(collection, key);
    if (collection === undefined || index < 0) break;
    const value = collection.starts[index] ?? -1;
    const found = value < 0 ? (collection.keyStarts[index] ?? -1) : value;
    if (found >= 0) offset = found;
    collection = collection.inner[index];
  }
  return offset;
};

const keyOffsetOf = (places: Places, path: YamlPath): number | undefined => {
  let collection = places.root;
  for (const key of path.slice(0, -1)) collection = collection?.inner[indexOf(collection, key)];
  const last = path.at(-1);
  if (collection === undefined || last === undefined) return undefined;
  const offset = collection.keyStarts[indexOf(collection, last)] ?? -1;
  return offset < 0 ? undefined : offset;
};

const placesOf = (document: Document): Places => {
  const { contents } = document;
  return {
    root: collectionOf(contents),
    start: Math.max(0, isMap(contents) || isSeq(contents) ? startOf(contents) : 0),
  };
};

/** Resolves aliases, and only here: an undefined one, or one that would exhaust memory, throws. */
const plainValue = (
  document: Document,
): {
  readonly value: unknown;
  readonly problem?: { readonly message: string; readonly offset: number } | undefined;
} => {
  try {
    return { value: document.toJS() as unknown };
  } catch (error) {
    const source = /\(the anchor must be set before the alias\): (.+)$/.exec(messageOf(error))?.[1];
    const alias = nodesOf(document).find((node) => isAlias(node) && node.source === source);
    const offset = alias?.range?.[0] ?? 0;
    const message = source === undefined ? messageOf(error) : `there is no anchor &${source} before this`;
    return { value: null, problem: { message, offset } };
  }
};

/** Positions by offset. The library's own line counter is incomplete when it stops at a fault. */
const placesIn = (text: string): ((offset: number) => Position) => {
  const { length } = text;
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return (offset) => {
    const within = Math.min(Math.max(offset, 0), length);
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= within) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: within - (starts[low] ?? 0) + 1 };
  };
};

/** Quoted texts, lists and maps in brackets, by the offset at which they end; of nested ones the innermost. */
const openings = (document: Document): ReadonlyMap<number, number> => {
  const starts = new Map<number, number>();
  for (const node of nodesOf(document)) {
    const isOpen =
      ('flow' in node && node.flow) || (isScalar(node) && node.type?.startsWith('QUOTE') === true);
    if (isOpen && node.range != null) starts.set(node.range[1], node.range[0]);
  }
  return starts;
};

/** Whether the fault is where the parser gave up, and not where an unclosed quoted text, [ or { begins. */
const isUnclosed = ({ message }: YAMLError): boolean =>
  /^Missing closing .quote|end with a [\]}]$/.test(message);

type FirstKey = { readonly key: string; readonly offset: number };

/** For each key that repeats an earlier one of its map, by its offset: the key, and the offset of the first one. */
const repeatedKeys = (document: Document): ReadonlyMap<number, FirstKey> => {
  const repeated = new Map<number, FirstKey>();
  for (const map of nodesOf(document).filter(isMap)) {
    const first = new Map<string, number>();
    for (const { key } of map.items) {
      if (!isScalar(key) || key.range == null) continue;
      const name = String(key.value);
      const offset = first.get(name);
      if (offset === undefined) first.set(name, key.range[0]);
      else repeated.set(key.range[0], { key: name, offset });
    }
  }
  return repeated;
};

/** Whether maps and lists nest deeper than any code that walks through them expects. */
const isTooDeep = (value: unknown): boolean => {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return true;
    // Aliases can stand for the same map many times over.
    const inner = new Set<unknown>();
    for (const one of level)
      if (typeof one === 'object' && one !== null)
        for (const part of Object.values(one)) if (typeof part === 'object' && part !== null) inner.add(part);
    level = [...inner];
  }
  return false;
};

/** Faults of one file that are reported. */
const maxFaults = 100;

const tooDeep = {
  message: 'the file is nested too deeply, or a part of it contains itself',
  code: 'TOO_DEEP',
};

const withoutValue = (fault: YamlFault): YamlFile => {
  const start = (): Position => ({ line: 1, column: 1 });
  return { value: null, faults: [fault], positionOf: start, positionOfKey: start };
};

/** Parses one YAML 1.2 document and keeps all positions. Never throws: faults are data. */
export const parseYaml = (text: string): YamlFile => {
  try {
    return parsed(text);
  } catch (error) {
    // The parser calls itself for each level.
    if (!(error instanceof RangeError)) throw error;
    return withoutValue({ line: 1, column: 1, ...tooDeep });
  }
};

/** The library makes an Error for each fault of a file, of which there can be hundreds of thousands. */
const withoutStacks = <T>(work: () => T): T => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
};

const parsed = (text: string): YamlFile => {
  const at = placesIn(text);
  const encoding = encodingFault(text);
  if (encoding !== undefined) {
    const { offset, ...fault } = encoding;
    return withoutValue({ ...at(offset), ...fault });
  }
  const document = withoutStacks(() =>
    parseDocument(text, {
      prettyErrors: false,
      strict: true,
      logLevel: 'error',
      // The library compares each key with all others.
      uniqueKeys: false,
    }),
  );
  if (document.errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION'))
    return withoutValue({ line: 1, column: 1, ...tooDeep });
  // One walk serves all faults: a walk through deeply nested lists costs the square of their depth.
  let opened: ReadonlyMap<number, number> | undefined;
  const openedAt = (end: number) => (opened ??= openings(document)).get(end);
  // An unknown tag would be dropped, and a text that begins with ! needs quotes.
  const problems = [...document.errors, ...document.warnings].slice(0, maxFaults);
  const broken = problems.map((error): readonly [number, YamlFault] => {
    const begin = isUnclosed(error) ? openedAt(error.pos[0]) : undefined;
    return [
      error.pos[0],
      {
        ...at(error.pos[0]),
        message: error.message,
        code: error.code,
        ...(begin === undefined ? {} : { opened: at(begin) }),
      },
    ];
  });
  const repeated = [...repeatedKeys(document)].map(([offset, first]): readonly [number, YamlFault] => [
    offset,
    {
      ...at(offset),
      message: 'Map keys must be unique',
      code: 'DUPLICATE_KEY',
      duplicate: { key: first.key, firstLine: at(first.offset).line },
    },
  ]);
  const faults = [...broken, ...repeated]
    .sort(([left], [right]) => left - right)
    .slice(0, maxFaults)
    .map(([, fault]) => fault);
  const { value, problem } = faults.length > 0 ? { value: null, problem: undefined } : plainValue(document);
  if (isTooDeep(value)) return withoutValue({ line: 1, column: 1, ...tooDeep });
  const places = placesOf(document);
  return {
    value,
    faults:
      problem === undefined ? faults : [{ ...at(problem.offset), message: problem.message, code: 'ALIAS' }],
    positionOf: (path) => at(offsetOf(places, path)),
    positionOfKey: (path) => at(keyOffsetOf(places, path) ?? offsetOf(places, path)),
  };
};
