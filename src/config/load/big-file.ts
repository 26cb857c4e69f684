import { parseYaml, type Position, type YamlFile, type YamlPath } from '../../core/index.ts';

/** Smaller files are parsed in one piece. */
const bigEnough = 50_000;
/** Approximate length of a piece: the parser needs some hundred times that much memory. */
const pieceLength = 25_000;

const header = 'jobs:\n';

type Piece = { readonly text: string; readonly firstLine: number };

/** The boundary between two jobs, which nothing before can continue across: a key at the indentation of the jobs. */
const jobKey = (indent: string): RegExp =>
  new RegExp(`^${indent}(?:[A-Za-z0-9][A-Za-z0-9._-]*|"[^"\\\\]*"):`);

/** The pieces of a file with only `jobs:` and a block of jobs, cut between jobs. Undefined for any other file. */
const cut = (text: string): readonly Piece[] | undefined => {
  const start = /^(?:[ \t]*(?:#[^\n]*|\r)?\n)*(?:---[ \t]*\r?\n)?jobs:[ \t]*(?:#[^\n]*|\r)?\n/.exec(
    text,
  )?.[0];
  const indent = /^(?:[ \t]*(?:#[^\n]*|\r)?\n)*( +)(?=[A-Za-z0-9"])/.exec(
    text.slice(start?.length ?? 0),
  )?.[1];
  if (start === undefined || indent === undefined) return undefined;
  const isJob = jobKey(indent);
  const pieces: Piece[] = [];
  let [from, firstLine, line] = [start.length, start.split('\n').length, start.split('\n').length];
  for (let at = start.length; at < text.length; line += 1) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline + 1;
    // Another section or a second document: a line without indentation is no job.
    if (/[^\s#]/.test(text.charAt(at))) return undefined;
    if (at - from >= pieceLength && isJob.test(text.slice(at, Math.min(end, at + 400)))) {
      pieces.push({ text: text.slice(from, at), firstLine });
      [from, firstLine] = [at, line];
    }
    at = end;
  }
  return [...pieces, { text: text.slice(from), firstLine }];
};

type Part = { readonly file: YamlFile; readonly shift: number };

const jobsOf = (file: YamlFile): Readonly<Record<string, unknown>> | undefined => {
  const { value, faults } = file;
  if (faults.length > 0 || typeof value !== 'object' || value === null || !('jobs' in value))
    return undefined;
  const { jobs } = value;
  return typeof jobs === 'object' && jobs !== null && !Array.isArray(jobs) ? { ...jobs } : undefined;
};

/**
 * Parses a large file of jobs piece by piece, since the parser needs some hundred times the length of its input in
 * memory. Undefined when the file cannot be cut, or when a piece is unusual: then parse it as a whole.
 */
export const readInPieces = async (text: string): Promise<YamlFile | undefined> => {
  const jobs: Record<string, unknown> = {};
  const partOf = new Map<string, Part>();
  for (const { text: piece, firstLine } of cut(text) ?? []) {
    const file = await parseYaml(header + piece);
    const found = jobsOf(file);
    if (found === undefined) return undefined;
    for (const [name, job] of Object.entries(found)) {
      if (partOf.has(name) || name === '__proto__') return undefined;
      jobs[name] = job;
      partOf.set(name, { file, shift: firstLine - 2 });
    }
  }
  const [first] = partOf.values();
  if (first === undefined) return undefined;
  const headerLine = first.shift + 1;
  const look =
    (find: (file: YamlFile) => (path: YamlPath) => Position) =>
    (path: YamlPath): Position => {
      const part = (path[0] === 'jobs' ? partOf.get(String(path[1])) : undefined) ?? first;
      const { line, column } = find(part.file)(path);
      return line === 1 ? { line: headerLine, column } : { line: line + part.shift, column };
    };
  return {
    value: { jobs },
    faults: [],
    positionOf: look((file) => file.positionOf),
    positionOfKey: look((file) => file.positionOfKey),
  };
};

/** Parses YAML of any size. */
export const parseFile = async (text: string): Promise<YamlFile> =>
  (text.length >= bigEnough ? await readInPieces(text) : undefined) ?? (await parseYaml(text));
