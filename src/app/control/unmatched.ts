import { isFault, silentLog, type Deps } from '../../core/index.ts';
import type { Config, ConfigFault } from '../../config/index.ts';
import { unmatchedIn } from '../../doctor/index.ts';
import { unmatchedAdvice, unmatchedText } from '../../monitoring/index.ts';
import { openCommands } from './commands.ts';
import { pathsOf } from '../data-folder/paths.ts';
import { readsUnchanged } from '../replicas/open-or-ask.ts';

/**
 * The selectors of a configuration that match no key and no model which is known, as warnings. The names are those of the
 * daemon that runs, else of the database, which stays unchanged; empty where neither is there, or the database cannot be read.
 */
export const unmatchedWarnings = async (
  deps: Deps,
  folder: string,
  config: Config,
): Promise<readonly ConfigFault[]> => {
  if (config.selectors.length === 0) return [];
  const how = await readsUnchanged(config, pathsOf(deps, config.settings.warehouse));
  if (how === undefined) return [];
  try {
    await using commands = await openCommands(deps, { folder, log: silentLog, ...how });
    const names = await commands.call('names', {});
    return unmatchedIn(config, names).map((selector) => ({
      file: selector.file,
      line: selector.line,
      column: selector.column,
      message: `${selector.at}: ${unmatchedText(selector)}`,
      advice: unmatchedAdvice(selector),
    }));
  } catch (error) {
    deps.signal.throwIfAborted();
    // `doctor` says what prevents it.
    if (isFault(error)) return [];
    throw error;
  }
};
