import { z } from 'zod';
import { jobKey } from './fields.ts';
import { shapeOf, type JobKind } from './job-schema.ts';
import type { ChannelKind } from './routes-schema.ts';
import { settingsSchemaOf } from './settings-schema.ts';

export type ConfigSchemas = { readonly tollkeeper: object; readonly jobs: object };

const generate = (schema: z.ZodType, title: string): object => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return { $schema, title, ...rest };
};

/** JSON Schema of both kinds of file, for editors; generated from the schemas that check the files. */
export const jsonSchemas = (kinds: readonly JobKind[], channels: readonly ChannelKind[]): ConfigSchemas => {
  const [first, ...others] = kinds.map(shapeOf);
  const job = first === undefined ? z.never() : z.union([first, ...others]);
  return {
    tollkeeper: generate(settingsSchemaOf(channels), 'tollkeeper.yaml'),
    jobs: generate(
      z.strictObject({ jobs: z.record(jobKey, job).optional().describe('Jobs by name.') }),
      'Jobs of Tollkeeper',
    ),
  };
};

/** The text of a schema file, always the same for the same schemas. */
export const renderSchema = (schema: object): string => `${JSON.stringify(schema, undefined, 2)}\n`;
