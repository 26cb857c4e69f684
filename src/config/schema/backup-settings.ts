import { z } from 'zod';

/** `backup` in tollkeeper.yaml. */
export const backup = z.strictObject({
  before_migration: z
    .boolean()
    .default(true)
    .describe(
      'Whether a copy of the database is kept beside it before a new version migrates it: tollkeeper.schema-30.duckdb. Only the newest copy is kept.',
    ),
});
