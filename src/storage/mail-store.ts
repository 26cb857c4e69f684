import { createHash } from 'node:crypto';
import { fault } from '../core/index.ts';
import { text, type StateEngine } from './sql.ts';

/** The exact bytes of messages, under the hash of their content. */
export type MailStore = {
  /** Where they are, for messages. */
  readonly where: string;
  /** Stores the bytes durably, and returns their name. @throws faults disk-full, path-unwritable */
  readonly store: (bytes: Uint8Array) => Promise<string>;
  /** @throws Fault mail-file-damaged when the bytes are gone or changed */
  readonly load: (file: string) => Promise<Buffer>;
  readonly remove: (file: string) => Promise<void>;
  /** The names of all, also of those that no row of the outbox names. */
  readonly list: () => Promise<readonly string[]>;
};

export const mailName = (bytes: Uint8Array): string =>
  `${createHash('sha256').update(bytes).digest('hex')}.eml`;

/** The bytes if they are those of the name; `shown` names them in messages. @throws Fault mail-file-damaged */
export const intactMail = (bytes: Buffer, file: string, shown = file): Buffer => {
  if (mailName(bytes) === file) return bytes;
  throw fault('mail-file-damaged', `the stored mail ${shown} has changed since it was queued`);
};

/** Bytes in the database, where each replica finds them. */
export const createMailTable = (engine: StateEngine): MailStore => ({
  where: 'the database',
  store: async (bytes) => {
    const file = mailName(bytes);
    await engine.state(async (connection) => {
      await connection.execute(
        'INSERT INTO mail_file (file, bytes) VALUES ($file, $bytes) ON CONFLICT (file) DO NOTHING',
        { file, bytes: Buffer.from(bytes).toString('base64') },
      );
    });
    return file;
  },
  load: async (file) => {
    const [row] = await engine.state((connection) =>
      connection.rows('SELECT bytes FROM mail_file WHERE file = $file', { file }),
    );
    if (row === undefined)
      throw fault('mail-file-damaged', `the stored mail ${file} is no longer in the database`);
    return intactMail(Buffer.from(text(row, 'bytes'), 'base64'), file);
  },
  remove: (file) =>
    engine.state(async (connection) => {
      await connection.execute('DELETE FROM mail_file WHERE file = $file', { file });
    }),
  list: async () =>
    (await engine.state((connection) => connection.rows('SELECT file FROM mail_file'))).map((row) =>
      text(row, 'file'),
    ),
});
