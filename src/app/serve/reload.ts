import type { Clock, Log, Deps } from '../../core/index.ts';
import {
  configDisk,
  describeChanges,
  fingerprintConfig,
  type Config,
  type ConfigFault,
  type Loaded,
} from '../../config/index.ts';
import { readConfig } from '../../settings.ts';

export type ConfigState = {
  readonly loadedAt: ReturnType<Clock['now']>;
  /** Faults of a newer config that was not applied. */
  readonly faults: readonly ConfigFault[];
  /** Changed settings that take effect at the next start. */
  readonly atNextStart: readonly string[];
};

export type Reload = {
  /** Checks for changes; applies a change that is the same in two consecutive checks. */
  readonly look: () => Promise<void>;
  readonly now: () => Promise<void>;
  readonly state: () => ConfigState;
};

export type ReloadDeps = {
  readonly deps: Pick<Deps, 'env' | 'secrets' | 'clock'>;
  readonly folder: string;
  readonly log: Log;
  readonly first: Loaded & { readonly config: Config };
  readonly adopt: (config: Config) => Promise<void>;
  /** Notifies operators of a config that was not applied; called once until a valid one follows. */
  readonly notifyFaults: (faults: readonly ConfigFault[]) => Promise<void>;
};

/** Checks take at most one part in this many of the time. */
const restPerLook = 200;

/** Milliseconds; bounds the rest after a slow check, so that a busy machine does not delay changes. */
const longestRest = 6_000;

/** Keeps the log line readable. */
const maxTold = 20;

const inOneLine = (changes: readonly string[]): string => {
  if (changes.length === 0) return 'none';
  const more = changes.length - maxTold;
  return [...changes.slice(0, maxTold), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
};

const place = ({ file, line, column }: ConfigFault): string => `${file}:${line}:${column}`;

/**
 * Applies config changes while the daemon runs. Hashes the files periodically, since symlinked mounts send no change events;
 * a change counts once it is the same in two checks, so that a half-written file does not.
 */
export const createReload = (options: ReloadDeps): Reload => {
  const { deps, folder, log } = options;
  const started = options.first.config;
  let inForce = started;
  let { read, fingerprint } = options.first;
  let changed: string | undefined;
  let isReported = false;
  let pending: readonly ConfigFault[] | undefined;
  let state: ConfigState = { loadedAt: deps.clock.now(), faults: [], atNextStart: [] };
  let restUntil = 0;
  let tookBefore = 0;
  let working: Promise<void> = Promise.resolve();

  /** A notification that fails, on a full disk for example, is sent later. */
  const notify = async (faults: readonly ConfigFault[]): Promise<void> => {
    pending = faults;
    await options.notifyFaults(faults);
    pending = undefined;
  };

  /** `seen`: state of the files at the last check; a read that finds another state does not count. */
  const readAndApply = async (seen?: string): Promise<void> => {
    const loaded = await readConfig(folder, deps);
    changed = undefined;
    if (loaded.config === undefined) {
      if (seen !== undefined && (await fingerprintConfig(configDisk, read)) !== seen) return;
      ({ read, fingerprint } = loaded);
      state = { ...state, faults: loaded.faults };
      for (const fault of loaded.faults)
        log.error('the new configuration is invalid and was not applied', {
          place: place(fault),
          error: fault.message,
          advice: fault.advice,
        });
      const isFirst = !isReported;
      isReported = true;
      if (isFirst) await notify(loaded.faults);
      return;
    }
    const { changes } = describeChanges(inForce, loaded.config);
    const { atNextStart } = describeChanges(started, loaded.config);
    // A config that cannot be applied, on a full disk for example, still counts as changed and is tried again.
    await options.adopt(loaded.config);
    ({ read, fingerprint } = loaded);
    inForce = loaded.config;
    isReported = false;
    pending = undefined;
    state = { loadedAt: deps.clock.now(), faults: [], atNextStart };
    log.info('applied the new configuration', { changes: inOneLine(changes) });
    if (atNextStart.length > 0)
      log.warn('some changed settings take effect after a restart', { settings: atNextStart.join('; ') });
  };

  /** Serialized: a signal may arrive during a check. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const mine = working.then(work, work);
    working = mine.catch(() => undefined);
    return mine;
  };

  const lookAtFiles = async (): Promise<void> => {
    const start = deps.clock.now();
    if (start < restUntil && restUntil - start <= longestRest) return;
    const seen = await fingerprintConfig(configDisk, read);
    const took = Math.max(0, deps.clock.now() - start);
    // The shorter of two checks: a single one may have been delayed by other load.
    restUntil = start + Math.min(restPerLook * Math.min(took, tookBefore), longestRest);
    tookBefore = took;
    if (seen === fingerprint) changed = undefined;
    else if (seen === changed) await readAndApply(seen);
    else {
      changed = seen;
      // The check that confirms a change follows without a rest.
      restUntil = start;
    }
  };

  return {
    look: () =>
      inTurn(async () => {
        await lookAtFiles();
        if (pending !== undefined) await notify(pending);
      }),
    now: () => inTurn(() => readAndApply()),
    state: () => state,
  };
};
