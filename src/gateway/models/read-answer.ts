import { z } from 'zod';

/** What an answer is read as: any field can be missing, and unknown fields are kept. */
export type Served<T> = T extends readonly (infer Item)[]
  ? readonly (Served<Item> | undefined)[]
  : T extends object
    ? { readonly [Name in keyof T]?: Served<T[Name]> | undefined }
    : T;

/** An answer, and where it differs from the contract: `usage.output_tokens is missing`. */
export type ReadAnswer<T> = { readonly value: Served<T>; readonly deviations: readonly string[] };

/** The name of a field as docs/gateway.md writes it: `data[].url`; `answer` for the whole. */
const nameOf = (path: readonly PropertyKey[]): string => {
  const name = path.reduce<string>(
    (joined, part) =>
      typeof part === 'number' ? `${joined}[]` : `${joined}${joined === '' ? '' : '.'}${String(part)}`,
    '',
  );
  return name === '' ? 'the answer' : name;
};

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[part] : undefined,
    value,
  );

const kinds: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

const messageOf = (value: unknown, { path, ...issue }: z.core.$ZodIssue): string => {
  const name = nameOf(path);
  if (valueAt(value, path) === undefined) return `${name} is missing`;
  const expected =
    issue.code === 'invalid_type'
      ? kinds[issue.expected]
      : issue.code === 'too_big'
        ? kinds['int']
        : undefined;
  return expected === undefined ? `${name} is unreadable` : `${name} is not ${expected}`;
};

/** For a value that fits none of several schemas: what is wrong by the one that it comes closest to. */
const nearestIssues = (issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] => {
  if (issue.code !== 'invalid_union') return [issue];
  const depthOf = (issues: readonly z.core.$ZodIssue[]): number =>
    Math.max(0, ...issues.map(({ path }) => path.length));
  const nearest = issue.errors.toSorted((left, right) => depthOf(right) - depthOf(left))[0] ?? [];
  return depthOf(nearest) === 0
    ? [issue]
    : nearest.flatMap((inner) => nearestIssues({ ...inner, path: [...issue.path, ...inner.path] }));
};

/** At most so many deviations are named. */
const maxDeviations = 20;

const withLenientParts = (schema: z.ZodType): z.ZodType => {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.ZodType>(schema.shape);
    return z.looseObject(Object.fromEntries(fields.map(([name, field]) => [name, lenient(field)])));
  }
  if (schema instanceof z.ZodArray) return z.array(lenient(schema.element as z.ZodType));
  if (schema instanceof z.ZodUnion) return z.union((schema.options as z.ZodType[]).map(withLenientParts));
  if (schema instanceof z.ZodNullable) return withLenientParts(schema.unwrap() as z.ZodType).nullable();
  return schema instanceof z.ZodOptional ? withLenientParts(schema.unwrap() as z.ZodType) : schema;
};

/** The schema with each field optional: one that is missing or unreadable is undefined. */
const lenient = (schema: z.ZodType): z.ZodType => withLenientParts(schema).optional().catch(undefined);

const lenients = new WeakMap<z.ZodType, z.ZodType>();

const lenientOf = (schema: z.ZodType): z.ZodType => {
  const known = lenients.get(schema);
  if (known !== undefined) return known;
  const made = lenient(schema);
  lenients.set(schema, made);
  return made;
};

/** Reads a parsed answer with the schema of the contract. A field that is missing or of another type is undefined, and named. */
export const readAnswer = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): ReadAnswer<z.output<Schema>> => {
  const strict = schema.safeParse(value);
  if (strict.success) return { value: strict.data as Served<z.output<Schema>>, deviations: [] };
  const named = strict.error.issues.flatMap(nearestIssues).map((issue) => messageOf(value, issue));
  return {
    value: lenientOf(schema).parse(value) as Served<z.output<Schema>>,
    deviations: [...new Set(named)].slice(0, maxDeviations),
  };
};

/** Nested deeper than any answer of the contract, a value could exhaust the stack of what prints it. */
export const isNestedDeeper = (value: unknown, depth: number): boolean => {
  let level: readonly unknown[] = [value];
  for (let at = 0; level.length > 0; at += 1) {
    if (at > depth) return true;
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null
        ? Object.values(one).filter((inner) => typeof inner === 'object' && inner !== null)
        : [],
    );
  }
  return false;
};
