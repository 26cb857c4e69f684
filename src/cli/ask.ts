import { resolve } from 'node:path';
import type { Deps, Log } from '../core/index.ts';
import { openCommands, type OpenCommands } from '../app/index.ts';
import { createPlainLog } from './ui/plain-log.ts';

/** Opens the commands, runs one request, and closes them before the result is printed. `reads`: whether it changes nothing. */
export const ask = async <T>(
  deps: Deps,
  config: string,
  use: (commands: OpenCommands) => Promise<T>,
  {
    reads = false,
    log = createPlainLog(deps, () => undefined),
  }: { readonly reads?: boolean; readonly log?: Log } = {},
): Promise<T> => {
  await using commands = await openCommands(deps, { folder: resolve(deps.cwd, config), log, reads });
  return await use(commands);
};
