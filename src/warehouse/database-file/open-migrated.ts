import { errorFields, fault, isFault, type Clock, type Log } from '../../core/index.ts';
import { openEngine, type Engine, type EngineOptions } from '../../storage/index.ts';
import { migrate, reachedSchema, type Schema } from '../migrate.ts';
import { inspectFile } from './inspect-file.ts';
import { keepCopy, newestCopy, removeOtherCopies, stampOf } from './kept-copy.ts';

export type MigrationOptions = EngineOptions & {
  readonly clock: Clock;
  readonly log: Log;
  /** Of this program; migrations are recorded with it. */
  readonly version?: string | undefined;
  /** Whether a copy of an older database is kept before it is migrated; true if omitted. */
  readonly copyBeforeMigration?: boolean | undefined;
  /** Whether an older database is migrated; true if omitted. Otherwise it is refused and stays as it is. */
  readonly migrates?: boolean | undefined;
};

/** Copies that another process may make useless by writing to the database in between. */
const mostCopies = 3;

/** A newer database names the copy to go back to, if one was kept. */
const withWayBack = async (error: unknown, path: string, schema: Schema): Promise<unknown> => {
  if (!isFault(error) || error.code !== 'warehouse-newer') return error;
  const copy = await newestCopy(path, schema.number);
  if (copy === undefined) return error;
  const advice = `run that version or a later one; or go back to the data of before the upgrade: stop Tollkeeper, move ${path} aside and rename ${copy} to it`;
  return fault('warehouse-newer', error.message, { cause: error, advice });
};

/**
 * Opens the database, and migrates it to the schema; an older one is kept as a copy before. The copy is of the closed
 * file: closing a second descriptor of an open one would end its lock.
 * @throws those of `inspectFile`, `openEngine`, `keepCopy` and `migrate`
 */
export const openMigrated = async (options: MigrationOptions, schema: Schema): Promise<Engine> => {
  const { path, log } = options;
  const keeps = path !== ':memory:' && options.copyBeforeMigration !== false;
  if (path !== ':memory:') await inspectFile(path);
  let copied: { readonly copy: string; readonly stamp: string } | undefined;
  for (let copies = 0; ; copies += 1) {
    const engine = await openEngine(options);
    let older: number | undefined;
    try {
      const { number, version: writer } = await reachedSchema(engine);
      if (number === schema.number) return engine;
      if (options.migrates === false && number > 0 && number < schema.number)
        throw fault(
          'warehouse-older',
          `${path} has schema ${number}, written by Tollkeeper ${writer ?? 'of an unknown version'}; this version, ${options.version ?? 'unknown'}, reads schema ${schema.number}, and a command that only reads does not migrate it`,
          {
            advice:
              'start this version as the daemon, or run a job with it: it keeps a copy of the database and migrates it. Until then, read it with the version that wrote it',
          },
        );
      const isOlder = keeps && number > 0 && number < schema.number;
      if (!isOlder || (copied !== undefined && copied.stamp === (await stampOf(path)))) {
        await migrate(engine, schema, options.clock, path, options.version);
        if (isOlder)
          await removeOtherCopies(path, number).catch((error: unknown) =>
            log.warn('copies of the database from earlier migrations are left', errorFields(error)),
          );
        return engine;
      }
      older = number;
      await engine.exclusive(async () => undefined);
    } catch (error) {
      await engine.abandon();
      throw await withWayBack(error, path, schema);
    }
    await engine[Symbol.asyncDispose]();
    if (copies >= mostCopies)
      throw fault('warehouse-locked', `${path} is changed by another process, so it is not migrated`);
    const stamp = await stampOf(path);
    copied = { copy: await keepCopy(path, older), stamp };
    log.info('kept a copy of the database before its migration', {
      copy: copied.copy,
      schema: older,
      to: schema.number,
    });
  }
};
