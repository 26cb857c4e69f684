import { encodingFault, readReason, systemCode } from '../../core/index.ts';

/** The source of a secret or setting that is not in the YAML itself. */
export type Reference =
  | { readonly from: 'env'; readonly name: string }
  | { readonly from: 'file'; readonly path: string };

export type Part =
  | { readonly text: string }
  | { readonly reference: Reference }
  | { readonly malformed: string };

export type ReferenceDeps = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => Promise<string>;
};

const token = /\$\$\{|\$\{([^}]*)(\}|$)/g;

const readReference = (inner: string, closed: boolean, written: string): Part => {
  if (closed && /^[A-Za-z_][A-Za-z0-9_]*$/.test(inner)) return { reference: { from: 'env', name: inner } };
  if (closed && /^file:./.test(inner)) return { reference: { from: 'file', path: inner.slice(5) } };
  return { malformed: written };
};

/** Splits a written value into plain text, `${NAME}` and `${file:/path}`; `$${` is a literal `${`. */
export const splitReferences = (written: string): Part[] => {
  const parts: Part[] = [];
  let end = 0;
  for (const match of written.matchAll(token)) {
    if (match.index > end) parts.push({ text: written.slice(end, match.index) });
    parts.push(
      match[0] === '$${' ? { text: '${' } : readReference(match[1] ?? '', match[2] === '}', match[0]),
    );
    end = match.index + match[0].length;
  }
  if (end < written.length) parts.push({ text: written.slice(end) });
  return parts;
};

type Looked = { readonly value: string } | { readonly problem: string; readonly advice: string };

const fileProblem = (error: unknown): string => {
  const code = systemCode(error);
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'EACCES') return 'is not readable for this user';
  if (code === 'EISDIR') return 'is a folder';
  if (code === 'EFTYPE') return 'is not a regular file';
  return `cannot be read (${readReason(error)})`;
};

/** The text of a file, without the final newline that editors add. */
const lookUpFile = async (path: string, deps: ReferenceDeps): Promise<Looked> => {
  const advice =
    'mount the file at this path, or correct the path (relative paths start at the working directory)';
  try {
    // Windows editors and shells put a byte-order mark before the text, which is invalid in a header.
    const value = (await deps.readFile(path)).replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
    const encoding = encodingFault(value);
    if (encoding !== undefined)
      return {
        problem: encoding.message.replace('the file', `the file ${path}`),
        advice: 'save the file as UTF-8',
      };
    return value === '' ? { problem: `the file ${path} is empty`, advice } : { value };
  } catch (error) {
    return { problem: `the file ${path} ${fileProblem(error)}`, advice };
  }
};

/** The value of a reference. A variable `NAME` that is not set is read from the file whose path `NAME_FILE` holds. */
const lookUp = async (reference: Reference, deps: ReferenceDeps): Promise<Looked> => {
  if (reference.from === 'file') return lookUpFile(reference.path, deps);
  const { name } = reference;
  const variable = (wanted: string): string | undefined =>
    Object.hasOwn(deps.env, wanted) ? deps.env[wanted] : undefined;
  const value = variable(name);
  if (value !== undefined && value !== '') return { value };
  const file = variable(`${name}_FILE`);
  if (value === undefined && file !== undefined && file !== '') return lookUpFile(file, deps);
  return {
    problem: `the environment variable ${name} is ${value === '' ? 'empty' : 'not set'}`,
    advice: `set ${name} in the environment that Tollkeeper starts in, or mount a file and write \${file:/path}`,
  };
};

export type Replaced = {
  /** Without what was not found. */
  readonly value: string;
  /** The values of the references. */
  readonly pieces: readonly string[];
  readonly problems: readonly Exclude<Looked, { readonly value: string }>[];
  /** Whether a reference is malformed; what follows it is left out. */
  readonly isMalformed: boolean;
};

/** Puts the values of all references into a written value. */
export const replaceReferences = async (written: string, deps: ReferenceDeps): Promise<Replaced> => {
  let value = '';
  const pieces: string[] = [];
  const problems: Replaced['problems'][number][] = [];
  for (const part of splitReferences(written)) {
    if ('malformed' in part) return { value, pieces, problems, isMalformed: true };
    if ('text' in part) value += part.text;
    else {
      const looked = await lookUp(part.reference, deps);
      if ('problem' in looked) problems.push(looked);
      else {
        pieces.push(looked.value);
        value += looked.value;
      }
    }
  }
  return { value, pieces, problems, isMalformed: false };
};
