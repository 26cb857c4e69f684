import { nearest, withoutShapes, type YamlPath } from '../../core/index.ts';
import { z } from 'zod';
import { bare, childOf, keysOf, notesOf, schemaAt, valueAt, type Schema } from '../schema/schema-walk.ts';
import { exactlyOneRule } from '../schema/notes.ts';
import { nextStep } from './next-step.ts';
import { adviceForUnknown } from './suggest.ts';

type Issue = z.core.$ZodIssue;

/** A schema fault in plain English, without its position in the file. */
export type ShapeFault = {
  readonly path: YamlPath;
  /** Whether the key itself is wrong, and not its value. */
  readonly onKey: boolean;
  readonly message: string;
  readonly advice?: string | undefined;
};

export type Naming = {
  readonly schema: Schema;
  /** The value that was checked. */
  readonly value: unknown;
  /** The value as written in the file; only this may be quoted. */
  readonly written: unknown;
  /** Prefix of every path: `jobs.daily`. */
  readonly prefix: YamlPath;
  readonly hidden: (path: YamlPath) => boolean;
};

const list = (texts: readonly string[]): string =>
  texts.length < 2 ? (texts[0] ?? '') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;

/** `accounts.main.base_url`, `mail.operators[2]`. */
export const describePath = (path: YamlPath): string =>
  path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`),
    '',
  );

const describeType: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys and values',
  record: 'a map of keys and values',
};

/** What a field must be, from its notes or its schema. */
const wanted = (schema: Schema | undefined): string => {
  const { description } = notesOf(schema);
  if (description !== undefined) return description;
  const inner = bare(schema);
  if (inner instanceof z.ZodUnion) return list(inner.options.map(wanted));
  if (inner instanceof z.ZodEnum) return list(inner.options.map(String));
  if (inner instanceof z.ZodLiteral) return list([...inner.values].map(String));
  if (inner instanceof z.ZodArray) return `a list (each entry: ${wanted(inner.element)})`;
  if (inner instanceof z.ZodNumber && inner.format === 'safeint') return 'a whole number';
  return describeType[inner?._zod.def.type ?? ''] ?? 'something else';
};

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return value === null ? 'nothing' : 'a map';
  const text = withoutShapes(
    typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'nothing'),
  );
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
};

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;

const optionsFor = (schema: Schema | undefined, value: unknown): Schema[] => {
  const inner = bare(schema);
  if (!(inner instanceof z.ZodUnion)) return [];
  const fits = (option: Schema): boolean => {
    const type = bare(option)?._zod.def.type ?? '';
    const kind = kindOf(value);
    if (kind === 'object') return type === 'object' || type === 'record';
    if (kind === 'string') return type === 'string' || type === 'enum' || type === 'literal';
    return type === kind;
  };
  return inner.options.filter(fits);
};

const describeLimit = (issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string => {
  const small = issue.code === 'too_small';
  const limit = String(small ? issue.minimum : issue.maximum);
  const bound = small ? `at least ${limit}` : `at most ${limit}`;
  if (issue.origin === 'string')
    return small && limit === '1' ? 'must not be empty' : `must be ${bound} letters long`;
  if (issue.origin === 'array')
    return small && limit === '1' ? 'must have at least one entry' : `must have ${bound} entries`;
  return `must be ${bound}`;
};

const missing = (path: YamlPath, naming: Naming): ShapeFault => {
  const key = String(path.at(-1));
  const parent = describePath([...naming.prefix, ...path.slice(0, -1)]);
  return {
    path: path.slice(0, -1),
    onKey: true,
    message: `${parent === '' ? 'the file' : parent} lacks the key ${JSON.stringify(key)}`,
    advice: `add ${key}: ${wanted(schemaAt(naming.schema, path))}`,
  };
};

/** `mail: { to: […] }` for a key `to` beside `mail`: the first map among the known keys with such a key. */
const nestedPlace = (
  key: string,
  schema: Schema | undefined,
  known: readonly string[],
): string | undefined => {
  const parent = known.find((name) => {
    const child = childOf(schema, name);
    return bare(child) instanceof z.ZodObject && keysOf(child).includes(key);
  });
  if (parent === undefined) return undefined;
  const isList = bare(childOf(childOf(schema, parent), key)) instanceof z.ZodArray;
  return `write ${parent}: { ${key}: ${isList ? '[…]' : '…'} }`;
};

const unknownKeys = (path: YamlPath, keys: readonly string[], naming: Naming): ShapeFault[] => {
  const known = keysOf(schemaAt(naming.schema, path));
  const parent = describePath([...naming.prefix, ...path]);
  const present = valueAt(naming.value, path);
  const { moved = {} } = notesOf(schemaAt(naming.schema, path));
  return keys.map((key) => {
    const below = nestedPlace(key, schemaAt(naming.schema, path), known);
    const free = known.filter((name) => typeof present !== 'object' || !Object.hasOwn(present ?? {}, name));
    const advice = adviceForUnknown(key, nearest(key, free) === undefined ? known : free, 'key');
    const where = parent === '' ? '' : ` in ${parent}`;
    return {
      path: [...path, key],
      onKey: true,
      message: `unknown key ${JSON.stringify(key)}${where}`,
      advice:
        (Object.hasOwn(moved, key) ? moved[key] : undefined) ??
        (nearest(key, known) === undefined && below !== undefined ? below : advice),
    };
  });
};

/** One mistake causes two issues: for a misspelt key, the right one is missing and a rule on the whole map fails. */
const consequences = (issues: readonly Issue[], naming: Naming): ReadonlySet<Issue> => {
  const dropped = new Set<Issue>();
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const at = describePath(issue.path as YamlPath);
    const known = keysOf(schemaAt(naming.schema, issue.path as YamlPath));
    const meant = new Set(issue.keys.map((key) => nearest(key, known)));
    for (const other of issues) {
      const path = other.path as YamlPath;
      if (other.code === 'custom' && describePath(path) === at) dropped.add(other);
      const isMissing = valueAt(naming.value, path) === undefined && path.length > 0;
      if (isMissing && describePath(path.slice(0, -1)) === at && meant.has(String(path.at(-1))))
        dropped.add(other);
    }
  }
  return dropped;
};

/** Describes each issue of a check for someone who writes YAML. */
export const inPlainEnglish = (all: readonly Issue[], naming: Naming): ShapeFault[] => {
  const dropped = consequences(all, naming);
  return all
    .filter((issue) => !dropped.has(issue))
    .flatMap((issue): ShapeFault[] => {
      const path = issue.path as YamlPath;
      const schema = schemaAt(naming.schema, path);
      const value = valueAt(naming.value, path);
      const label = describePath([...naming.prefix, ...path]) || 'the file';
      const quotable = !naming.hidden(path);
      const not = quotable ? `, not ${shown(valueAt(naming.written, path))}` : '';
      const key = String(path.at(-1) ?? '');
      const misfit = {
        key: typeof path.at(-1) === 'string' ? key : '',
        schema,
        value: quotable ? valueAt(naming.written, path) : undefined,
      };
      const isOneOf = issue.code === 'custom' && issue.params?.['rule'] === exactlyOneRule;
      const plain = (message: string): ShapeFault[] => [
        {
          path,
          onKey: false,
          message,
          advice: isOneOf ? 'write exactly one of these keys' : nextStep(misfit),
        },
      ];
      if (issue.code === 'unrecognized_keys') return unknownKeys(path, issue.keys, naming);
      if (issue.code === 'invalid_key') {
        const name = JSON.stringify(key);
        const message = `${name} must be ${wanted(keySchema(naming.schema, path))}`;
        return [{ path, onKey: true, message, advice: 'rename it' }];
      }
      if (value === undefined && path.length > 0) return [missing(path, naming)];
      if (value === null)
        return [
          {
            path,
            onKey: true,
            message: `${label} has no value`,
            advice: `give it ${wanted(schema)}, or remove the key`,
          },
        ];
      if (issue.code === 'custom' || (issue.code === 'invalid_format' && issue.message.startsWith('must ')))
        return plain(`${label} ${issue.message}${not}`);
      if (issue.code === 'too_small' || issue.code === 'too_big')
        return plain(`${label} ${describeLimit(issue)}${Array.isArray(value) ? '' : not}`);
      if (issue.code === 'invalid_union') {
        const options = optionsFor(schema, value);
        const [option] = options;
        const union = bare(schema);
        const index = union instanceof z.ZodUnion && option ? union.options.indexOf(option) : -1;
        const nested = issue.errors[index] ?? [];
        if (options.length === 1 && option !== undefined && bare(option)?._zod.def.type !== 'enum')
          return inPlainEnglish(
            nested.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })),
            naming,
          );
      }
      return plain(`${label} must be ${wanted(schema)}${not}`);
    });
};

const keySchema = (schema: Schema, path: YamlPath): Schema | undefined => {
  const record = bare(schemaAt(schema, path.slice(0, -1)));
  return record instanceof z.ZodRecord ? record.keyType : childOf(schema, path.at(-1) ?? '');
};
