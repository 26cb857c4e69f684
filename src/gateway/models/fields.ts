import { z } from 'zod';

// Leaves of answers. A null stands for a value that is not there (docs/gateway.md G11.2).

export const text = z.string().nullable();

/** A whole number that a JavaScript number represents exactly. */
export const whole = z.int().nullable();

export const flag = z.boolean().nullable();

/** An object with these fields and any others, which are kept. */
export const object = <Shape extends z.ZodRawShape>(shape: Shape) => z.looseObject(shape);

/** The same leaf for several fields: a record that keeps the names in its type. */
export const each = <Name extends string, Leaf extends z.ZodType>(
  leaf: Leaf,
  ...names: readonly Name[]
): { readonly [One in Name]: Leaf } =>
  Object.fromEntries(names.map((name) => [name, leaf])) as { readonly [One in Name]: Leaf };
