import { hasCode, type Deps } from '../../core/index.ts';
import { readWarehousePath, type Loaded } from '../../config/index.ts';
import { connectToDaemon, type commandTable } from '../../control/index.ts';
import { version } from '../../version.ts';
import { databaseOf, goodConfig } from '../accounts/good-config.ts';
import type { ProgramHandlers } from './handlers.ts';
import type { CommandOptions, OpenCommands } from './open-own.ts';
import { pathsOf } from '../data-folder/paths.ts';

/** A starting daemon holds the database before it answers on the control socket. */
const retries = { tries: 60, wait: 250 };

/**
 * Runs commands in the daemon of this database, else in this process, which then opens the database itself.
 * Asks a running daemon even when the config has become faulty since it started.
 * @throws Fault `config-invalid`, those of the warehouse, and those of the control socket
 */
export const openCommands = async (deps: Deps, options: CommandOptions): Promise<OpenCommands> => {
  let loaded: Promise<Loaded> | undefined;
  const config = async (): Promise<Loaded> =>
    (loaded ??= import('../../settings.ts').then(({ readConfig }) => readConfig(options.folder, deps)));
  // Without a known database path no daemon can be found.
  const path = (await readWarehousePath(options.folder)) ?? databaseOf(await config());
  const paths = pathsOf(deps, { path });
  for (let left = retries.tries; ; left -= 1) {
    const call = await connectToDaemon<typeof commandTable, ProgramHandlers>(paths.path, {
      version,
      clock: deps.clock,
      cwd: deps.cwd,
    });
    if (call !== undefined) return { call, fromDaemon: true, [Symbol.asyncDispose]: () => Promise.resolve() };
    try {
      const { openOwn } = await import('./open-own.ts');
      return await openOwn(deps, goodConfig(await config()), options);
    } catch (error) {
      if (!hasCode(error, 'warehouse-locked') || left <= 1) throw error;
      await deps.clock.wait(retries.wait, deps.signal);
    }
  }
};
