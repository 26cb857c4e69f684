import { resolve } from 'node:path';
import type { Log, Deps } from '../core/index.ts';
import { openCommands, type OpenCommands } from '../daemon/index.ts';
import { createPlainLog } from './ui/plain-log.ts';

/** Opens the commands, runs one request, and closes them before the result is printed. */
export const ask = async <T>(
  deps: Deps,
  config: string,
  use: (commands: OpenCommands) => Promise<T>,
  log: Log = createPlainLog(deps, () => undefined),
): Promise<T> => {
  await using commands = await openCommands(deps, { folder: resolve(deps.cwd, config), log });
  return await use(commands);
};
