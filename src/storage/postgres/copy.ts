import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from, to } from 'pg-copy-streams';
import type { Bindings } from '../sql.ts';

/** Unquoted it is NULL; a text that equals it is quoted by both engines. */
const csv = `FORMAT csv, NULL '\\N'`;

/** COPY takes no parameters: values are settings of the transaction, which a statement reads as `current_setting`. */
const prefix = 'tollkeeper.';

export type Copying = {
  /**
   * Writes the rows of a statement to a file. Call it in a transaction: `$name` is bound as a setting of it. Returns their
   * number.
   */
  readonly copyOut: (sql: string, bindings: Bindings, file: string) => Promise<number>;
  /** Adds the rows of a file to a table. Returns their number. */
  readonly copyIn: (table: string, columns: readonly string[], file: string) => Promise<number>;
};

export const copyingOf = (client: ClientBase): Copying => ({
  copyOut: async (sql, bindings, file) => {
    const set = Object.entries(bindings);
    if (set.length > 0)
      await client.query(
        `SELECT ${set.map((_, nth) => `set_config($${2 * nth + 1}, $${2 * nth + 2}, true)`).join(', ')}`,
        set.flatMap(([name, value]) => [`${prefix}${name}`, String(value)]),
      );
    const text = sql.replace(/\$([a-z_]\w*)/gi, (_, name: string) => {
      const setting = `current_setting('${prefix}${name}')`;
      return typeof bindings[name] === 'number' ? `${setting}::bigint` : setting;
    });
    const stream = client.query(to(`COPY (${text}) TO STDOUT (${csv})`));
    await pipeline(stream, createWriteStream(file));
    return stream.rowCount;
  },
  copyIn: async (table, columns, file) => {
    const stream = client.query(from(`COPY ${table} (${columns.join(', ')}) FROM STDIN (${csv})`));
    await pipeline(createReadStream(file), stream);
    return stream.rowCount;
  },
});
