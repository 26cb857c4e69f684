import { isFault } from '../../core/index.ts';
import type { UnixMillis } from '../../core/index.ts';
import type { SurveyedKey } from '../service-types.ts';
import { currentUnknown } from '../plan/current-candidates.ts';
import { isLive, newestOf } from '../plan/newest-key.ts';
import type { Sink, SinkReading } from '../sink.ts';
import type { EngineDeps } from '../rotation/engine-deps.ts';

export type SinkSurvey = {
  /** The keys that are asked about. */
  readonly asked: readonly SurveyedKey[];
  readonly all: readonly SurveyedKey[];
  readonly now: UnixMillis;
  readonly signal: AbortSignal;
};

type Deps = Pick<EngineDeps, 'account' | 'journal' | 'consumerOf' | 'deliveredBy'>;

/** A fault where the sink cannot be read now; anything else is thrown. */
const readSink = async (sink: Sink, key: SurveyedKey, account: string, signal: AbortSignal) => {
  const { service, generation } = key;
  try {
    return await sink.fingerprint({ account, service, generation, keyName: key.key.name }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isFault(error)) return error;
    throw error;
  }
};

/**
 * Which of the keys a sink holds or may hold, each with the reason: by the last cutover in the journal, because a job
 * delivers the newest key of the service, or because a sink was read and holds exactly this key. A sink that cannot be read
 * now counts as holding the keys that were once made for its service.
 */
export const keptBySinks = async (
  { account, journal, consumerOf, deliveredBy = () => [] }: Deps,
  { asked, all, now, signal }: SinkSurvey,
): Promise<ReadonlyMap<number, string>> => {
  const kept = new Map<number, string>();
  const readings = new Map<string, SinkReading | Error>();
  const byService = new Map<string, SurveyedKey[]>();
  for (const key of all) {
    const line = byService.get(key.service);
    if (line === undefined) byService.set(key.service, [key]);
    else line.push(key);
  }
  for (const one of asked) {
    const { key, service } = one;
    const current = journal.current(account).get(service);
    if (current?.keyId === key.id) {
      const places = current.places.join(' and ');
      kept.set(
        key.id,
        places === ''
          ? `every sink of ${service} holds it`
          : `${places} ${current.places.length === 1 ? 'holds' : 'hold'} it`,
      );
      continue;
    }
    if (one.unfinished === true) {
      kept.set(key.id, `a sink of ${service} may hold it: its delivery never completed`);
      continue;
    }
    const jobs = deliveredBy(one);
    if (jobs[0] !== undefined && one.candidates?.some(({ keyId }) => keyId === key.id) === true) {
      kept.set(key.id, `consumers of ${service} may hold it: ${currentUnknown(service, one.candidates)}`);
      continue;
    }
    const line = byService.get(service) ?? [];
    const isNewest = isLive(one, now) && newestOf(line, now).some((other) => other.key.id === key.id);
    const [job] = jobs;
    if (job !== undefined && isNewest) {
      kept.set(key.id, `it is the newest key of ${service}, which job ${job} delivers`);
      continue;
    }
    const fingerprint = journal.fingerprint(account, key.id);
    if (fingerprint === undefined) continue;
    for (const sink of jobs.flatMap((name) => consumerOf(name, service)?.sinks ?? [])) {
      const id = JSON.stringify([service, sink.place]);
      const reading = readings.get(id) ?? (await readSink(sink, one, account, signal));
      readings.set(id, reading);
      if (reading instanceof Error)
        kept.set(key.id, `it is unknown whether ${sink.describe()} holds it: ${reading.message}`);
      else if (reading.state === 'holds' && reading.fingerprint === fingerprint) {
        kept.set(key.id, `${sink.place} holds it`);
        break;
      }
    }
  }
  return kept;
};
