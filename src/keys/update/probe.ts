import { daySeconds, money, toSeconds, unixSeconds } from '../../core/index.ts';
import type { KeySpec } from '../../gateway/index.ts';
import type { LearnedPoint } from '../../warehouse/index.ts';
import { probeOmits } from './probe-omits.ts';
import type { ProbeDeps } from './probe-step.ts';
import { probeUnit } from './probe-unit.ts';

/** The service that temporary keys are generations of: `tollkeeper-probe.g3`. */
export const probeService = 'tollkeeper-probe';

/** How a temporary key is to be made; its name is for whoever keeps count of names. */
export type ProbeKeySpec = Omit<KeySpec, 'name'>;

/**
 * Makes and clears away temporary keys, each written down before it is made, so that one whose answer was lost, or whose
 * process died, is found and deleted later. The plaintext is dropped.
 */
export type ProbeKeys = {
  readonly createProbeKey: (spec: ProbeKeySpec, signal: AbortSignal) => Promise<{ readonly id: number }>;
  /** Deleting one that is gone is no error. */
  readonly deleteProbeKey: (id: number, signal: AbortSignal) => Promise<void>;
};

export type KeyProbeDeps = ProbeDeps & {
  readonly keys: ProbeKeys;
  /** Keeps what was learned, before the key is deleted. */
  readonly learn: (points: readonly LearnedPoint[]) => Promise<unknown>;
};

/** Milliseconds that clearing away may take when everything else is being stopped. */
const clearing = 30_000;

/**
 * Learns on a temporary key how the gateway updates keys: which fields keep their values when they are left out, and in which
 * unit it takes `remain_quota`. At most 8 writes beside the delete, for key writes may be limited to 20 in 20 minutes. The key
 * can be used by nobody, expires within a day or so, and is deleted whatever happens.
 * @throws what the gateway's client and `keys` throw
 */
export const probeKeyUpdates = async (deps: KeyProbeDeps): Promise<readonly LearnedPoint[]> => {
  const { gateway, keys, clock, signal, learn } = deps;
  const end = unixSeconds(toSeconds(clock.now()) + daySeconds);
  const { id } = await keys.createProbeKey(
    { remainQuota: money('1'), unlimitedQuota: false, expiredTime: end, group: '' },
    signal,
  );
  try {
    const made = await gateway.readKey(id, { signal });
    const { point, key, follows } = await probeUnit(made, deps);
    const quota = money(key.remainQuota === made.remainQuota ? '2' : '200000000');
    const points = [point, ...(await probeOmits(key, { end, quota, follows }, deps))];
    await learn(points);
    return points;
  } finally {
    using limit = clock.limit(clearing);
    await keys.deleteProbeKey(id, limit.signal);
  }
};
