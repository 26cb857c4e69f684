import { z } from 'zod';
import type { FieldMeta, ModelEndpoint } from './endpoint.ts';

/** A field of a call's input, as a command line and a list of endpoints need it. */
export type InputField = {
  /** In JSON. */
  readonly name: string;
  /** Name of its flag, without the hyphens. */
  readonly flag: string;
  readonly kind: 'text' | 'whole' | 'number' | 'flag' | 'choice' | 'json';
  /** Whether the flag can be repeated. */
  readonly isList: boolean;
  readonly choices: readonly string[];
  readonly description: string;
  readonly required: boolean;
  /** As text; undefined without one. */
  readonly byDefault: string | undefined;
  /** The flag names a file with the value. */
  readonly file: FieldMeta['file'];
};

type Inner = { readonly schema: z.ZodType; readonly required: boolean; readonly byDefault: unknown };

const innerOf = (field: z.ZodType): Inner => {
  let schema = field;
  let required = true;
  let byDefault: unknown;
  for (;;) {
    if (schema instanceof z.ZodDefault) {
      byDefault = schema.def.defaultValue;
      required = false;
    } else if (schema instanceof z.ZodOptional) required = false;
    else if (!(schema instanceof z.ZodNullable)) return { schema, required, byDefault };
    schema = schema.unwrap() as z.ZodType;
  }
};

const kindOf = (schema: z.ZodType): InputField['kind'] => {
  if (schema instanceof z.ZodEnum) return 'choice';
  if (schema instanceof z.ZodString) return 'text';
  if (schema instanceof z.ZodBoolean) return 'flag';
  if (schema instanceof z.ZodNumberFormat) return 'whole';
  if (schema instanceof z.ZodNumber) return 'number';
  return 'json';
};

/** A field that takes a text or a list of them is a list of texts on a command line. */
const listOf = (schema: z.ZodType): z.ZodType | undefined => {
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  return schema instanceof z.ZodUnion ? z.string() : undefined;
};

const hyphened = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-');

/** The fields of an endpoint's input that have a flag, in the order of its schema: whether an answer is streamed depends on where it is printed. */
export const inputFields = ({
  input,
  answers,
}: Pick<ModelEndpoint, 'input' | 'answers'>): readonly InputField[] =>
  Object.entries(input.shape as Record<string, z.ZodType>).flatMap(([name, field]) => {
    if (answers === 'stream' && name === 'stream') return [];
    const { schema, required, byDefault } = innerOf(field);
    const element = listOf(schema);
    const meta = (field.meta() ?? {}) as FieldMeta;
    return [
      {
        name,
        flag: meta.flag ?? hyphened(name),
        kind: kindOf(element ?? schema),
        isList: element !== undefined,
        choices: schema instanceof z.ZodEnum ? schema.options.map(String) : [],
        description: field.description ?? '',
        required,
        byDefault: byDefault === undefined ? undefined : JSON.stringify(byDefault).replaceAll('"', ''),
        file: meta.file,
      },
    ];
  });
