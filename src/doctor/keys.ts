import { formatMoment, hasCode, toSeconds, unixMillis } from '../core/index.ts';
import type { DoctorCheck } from './doctor-view.ts';
import type { KnownPoint, LearnedPoint } from '../warehouse/index.ts';
import { failed, passed, skipped } from './results.ts';

/** Creates a temporary key, learns how the gateway updates keys, stores the observations and deletes the key. */
export type ProbeKeysOf = (account: string, signal: AbortSignal) => Promise<readonly LearnedPoint[]>;

export type KeyWriteQuestion = {
  readonly account: string;
  readonly jobs: readonly string[];
  readonly points: readonly KnownPoint[];
  /** IANA time zone of times in messages. */
  readonly zone: string;
};

const use = (jobs: readonly string[]): string =>
  jobs.length === 0 ? 'no job needs it' : `needed by ${jobs.join(', ')}`;

/** What is known about the permission to write keys, without writing one; empty if no job needs it. */
export const keyWriteKnown = ({ account, jobs, points, zone }: KeyWriteQuestion): readonly DoctorCheck[] => {
  const about = `scope keys:write of ${account}`;
  const seen = points
    .filter(({ point, how }) => how === 'probe' && point.startsWith('key.'))
    .map(({ confirmedAt }) => confirmedAt);
  if (seen.length > 0 && jobs.length > 0)
    return [
      passed(
        about,
        `a temporary key was written on ${formatMoment(toSeconds(unixMillis(Math.max(...seen))), zone)}; ${use(jobs)}`,
      ),
    ];
  if (jobs.length === 0) return [];
  const unknown =
    'unknown until a job in mode apply or `tollkeeper doctor --probe-keys` writes a temporary key';
  return [skipped(about, `${unknown}; ${use(jobs)}`)];
};

export const keyWriteTried = async (
  { account, jobs }: KeyWriteQuestion,
  probeKeys: ProbeKeysOf,
  signal: AbortSignal,
): Promise<readonly DoctorCheck[]> => {
  const about = `scope keys:write of ${account}`;
  try {
    const points = await probeKeys(account, signal);
    const open = points.filter(({ value }) => value.startsWith('open')).map(({ point }) => point);
    const left = open.length === 0 ? '' : `; it did not show ${open.join(', ')}`;
    return [passed(about, `a temporary key was created, changed, read and deleted${left}; ${use(jobs)}`)];
  } catch (error) {
    signal.throwIfAborted();
    const denied = hasCode(error, 'gateway-scope-missing') || hasCode(error, 'gateway-key-refused');
    return [failed(denied ? about : `temporary key of ${account}`, error)];
  }
};
