import { daySeconds, money, toSeconds, unixSeconds } from '../../core/index.ts';
import type { KeySpec } from '../../gateway/index.ts';
import type { LearnedPoint } from '../../warehouse/index.ts';
import { probeOmits } from './probe-omits.ts';
import type { ProbeDeps } from './probe-step.ts';
import { probeUnit } from './probe-unit.ts';

/** The service of temporary keys: `tollkeeper-probe.g3`. */
export const probeService = 'tollkeeper-probe';

/** The fields of a temporary key; the implementation of `ProbeKeys` chooses its name. */
export type ProbeKeySpec = Omit<KeySpec, 'name'>;

/**
 * Creates and deletes temporary keys. Each is recorded before its creation, so that it is found and deleted later if the answer is lost or the
 * process crashes. The plaintext is discarded.
 */
export type ProbeKeys = {
  readonly createProbeKey: (spec: ProbeKeySpec, signal: AbortSignal) => Promise<{ readonly id: number }>;
  /** Idempotent: a key that is gone is no error. */
  readonly deleteProbeKey: (id: number, signal: AbortSignal) => Promise<void>;
};

export type KeyProbeDeps = ProbeDeps & {
  readonly keys: ProbeKeys;
  /** Stores the observations before the key is deleted. */
  readonly learn: (points: readonly LearnedPoint[]) => Promise<unknown>;
};

/** Milliseconds that the cleanup may take during shutdown. */
const clearing = 30_000;

/**
 * Learns on a temporary key how the gateway updates keys: which omitted fields keep their values, and the unit of `remain_quota`. Makes at most 8
 * writes beside the deletion, because key writes may be limited to 20 in 20 minutes. No consumer has the key; it expires within about a day and is
 * deleted in any case. @throws the errors of the gateway client and of `keys`
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
