import { z } from 'zod';
import type { YamlPath } from '../../core/index.ts';
import { fieldNotes, type FieldNotes } from './notes.ts';

export type Schema = z.core.$ZodType;

const unwrap = (schema: Schema): Schema => {
  let current = schema;
  for (;;) {
    if (
      current instanceof z.ZodOptional ||
      current instanceof z.ZodNullable ||
      current instanceof z.ZodDefault ||
      current instanceof z.ZodPrefault ||
      current instanceof z.ZodReadonly
    )
      current = current.unwrap();
    else if (current instanceof z.ZodPipe) current = current.in;
    else return current;
  }
};

/** Each is looked at once for every field of every job. */
const unwrapped = new WeakMap<Schema, Schema>();

/** The schema without its wrappers (optional, default, transform), which do not affect the shape. */
export const bare = (schema: Schema | undefined): Schema | undefined => {
  if (schema === undefined) return undefined;
  const known = unwrapped.get(schema) ?? unwrap(schema);
  unwrapped.set(schema, known);
  return known;
};

const describeWithout = (notes: FieldNotes): FieldNotes =>
  Object.fromEntries(Object.entries(notes).filter(([key]) => key !== 'description'));

/** The notes of a field, whichever of its wrappers they were given to. */
export const notesOf = (schema: Schema | undefined): FieldNotes => {
  let notes: FieldNotes = {};
  let current = schema;
  while (current !== undefined) {
    notes = { ...fieldNotes.get(current), ...notes };
    if (current instanceof z.ZodPipe) current = current.in;
    else if (current instanceof z.ZodUnion)
      // The description of one option does not apply to the others.
      return current.options.reduce(
        (all: FieldNotes, option): FieldNotes => ({ ...describeWithout(notesOf(option)), ...all }),
        notes,
      );
    else if (
      current instanceof z.ZodOptional ||
      current instanceof z.ZodNullable ||
      current instanceof z.ZodDefault ||
      current instanceof z.ZodPrefault ||
      current instanceof z.ZodReadonly
    )
      current = current.unwrap();
    else break;
  }
  return notes;
};

/** The schema of the value under a key or index; of a union the first option that has one. */
export const childOf = (schema: Schema | undefined, key: string | number): Schema | undefined => {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) {
    const shape = inner.shape as Readonly<Record<string, Schema>>;
    return Object.hasOwn(shape, key) ? shape[key] : undefined;
  }
  if (inner instanceof z.ZodRecord) return inner.valueType;
  if (inner instanceof z.ZodArray) return inner.element;
  if (inner instanceof z.ZodUnion) {
    for (const option of inner.options) {
      const child = childOf(option, key);
      if (child !== undefined) return child;
    }
  }
  return undefined;
};

export const schemaAt = (schema: Schema | undefined, path: YamlPath): Schema | undefined =>
  path.reduce<Schema | undefined>((current, key) => childOf(current, key), schema);

/** The allowed keys of a map with this schema. */
export const keysOf = (schema: Schema | undefined): string[] => {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) return Object.keys(inner.shape);
  return inner instanceof z.ZodUnion ? inner.options.flatMap((option) => keysOf(option)) : [];
};

export const valueAt = (value: unknown, path: YamlPath): unknown =>
  path.reduce<unknown>(
    (current, key) =>
      typeof current === 'object' && current !== null && Object.hasOwn(current, key)
        ? (current as Readonly<Record<string | number, unknown>>)[key]
        : undefined,
    value,
  );

/** A unique text for a path. */
export const placeKey = (path: YamlPath): string => path.join('\0');

/** Calls `visit` for every text in the value, with its path and schema, depth first. */
export const eachText = (
  value: unknown,
  schema: Schema | undefined,
  visit: (text: string, path: YamlPath, schema: Schema | undefined) => void,
  path: YamlPath = [],
): void => {
  if (typeof value === 'string') visit(value, path, schema);
  else if (Array.isArray(value))
    value.forEach((item, index) => eachText(item, childOf(schema, index), visit, [...path, index]));
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value))
      eachText(item, childOf(schema, key), visit, [...path, key]);
};
