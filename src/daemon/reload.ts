import type { Clock, Log, Deps } from '../core/index.ts';
import {
  configDisk,
  describeChanges,
  fingerprintConfig,
  type Config,
  type ConfigFault,
  type Loaded,
} from '../config/index.ts';
import { readConfig } from '../settings.ts';

export type ConfigState = {
  readonly loadedAt: ReturnType<Clock['now']>;
  /** Of a newer config that was not taken up. */
  readonly faults: readonly ConfigFault[];
  /** Settings that were changed and take effect at the next start. */
  readonly atNextStart: readonly string[];
};

export type Reload = {
  /** Looks whether anything was changed; what stays the same for two looks is taken up. */
  readonly look: () => Promise<void>;
  /** Reads the config now, changed or not. */
  readonly now: () => Promise<void>;
  readonly state: () => ConfigState;
};

export type ReloadDeps = {
  readonly deps: Pick<Deps, 'env' | 'secrets' | 'clock'>;
  readonly folder: string;
  readonly log: Log;
  /** What the daemon was started with. */
  readonly first: Loaded & { readonly config: Config };
  readonly adopt: (config: Config) => Promise<void>;
  /** Tells operators of a config that was not taken up; called once until a good one comes. */
  readonly notifyFaults: (faults: readonly ConfigFault[]) => Promise<void>;
};

/** Looks take no more of the time than one part in so many. */
const restPerLook = 200;

/** Milliseconds; however long a look took, the next comes within seconds: a busy machine must not put changes off. */
const longestRest = 6_000;

/** A line that tells more changes than that is not read. */
const maxTold = 20;

const inOneLine = (changes: readonly string[]): string => {
  if (changes.length === 0) return 'none';
  const more = changes.length - maxTold;
  return [...changes.slice(0, maxTold), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
};

const place = ({ file, line, column }: ConfigFault): string => `${file}:${line}:${column}`;

/**
 * Takes config changes up while the daemon runs. What was read is hashed again and again, since symlinked mounts give no
 * notice of changes; a change counts once it has stayed the same for two looks, so that half-written files do not.
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

  /** What cannot be told now, on a full disk say, is told later. */
  const notify = async (faults: readonly ConfigFault[]): Promise<void> => {
    pending = faults;
    await options.notifyFaults(faults);
    pending = undefined;
  };

  /** `seen`: what the files were at the last look; a read that meets them in the midst of another change does not count. */
  const resumeRotation = async (seen?: string): Promise<void> => {
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
    // What cannot be taken up now, on a full disk say, still counts as changed and is tried again.
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

  /** One after the other: a signal may come while a look is under way. */
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
    // Of two looks the shorter: a single one may have been held up by something else.
    restUntil = start + Math.min(restPerLook * Math.min(took, tookBefore), longestRest);
    tookBefore = took;
    if (seen === fingerprint) changed = undefined;
    else if (seen === changed) await resumeRotation(seen);
    else {
      changed = seen;
      // The look that is to confirm it comes without a rest.
      restUntil = start;
    }
  };

  return {
    look: () =>
      inTurn(async () => {
        await lookAtFiles();
        if (pending !== undefined) await notify(pending);
      }),
    now: () => inTurn(() => resumeRotation()),
    state: () => state,
  };
};
