import { groupBy, type UnixMillis } from '../../core/index.ts';
import type { SurveyedKey } from '../model/service-types.ts';
import { canBeOf, currentUnknown } from '../plan/current-candidates.ts';
import { deadBy } from '../plan/key-state.ts';
import { isLive, newestOf } from '../plan/newest-key.ts';
import { undeclaredText } from '../events/notices.ts';
import { undeclaredPlaces } from '../cycle/known-places.ts';
import { readSink, type SinkContent } from '../cycle/match-sinks.ts';
import type { Sink } from '../model/sink.ts';
import type { EngineDeps } from '../cycle/engine-deps.ts';

export type SinkSurvey = {
  readonly asked: readonly SurveyedKey[];
  readonly all: readonly SurveyedKey[];
  readonly now: UnixMillis;
  readonly signal: AbortSignal;
};

type Deps = Pick<EngineDeps, 'account' | 'journal' | 'consumerOf' | 'deliveredBy'>;

/** Why the sink holds, or may hold, this key; undefined if it holds another one. */
const heldBy = (
  sink: Sink,
  content: SinkContent | Error | undefined,
  { key }: SurveyedKey,
  fingerprint: string | undefined,
  known: ReadonlySet<string | undefined>,
): string | undefined => {
  if (content instanceof Error)
    return `it is unknown whether ${sink.describe()} holds it: ${content.message}`;
  if (content === undefined) return undefined;
  if (content.fingerprint === fingerprint) return `${sink.place} holds it`;
  if (fingerprint !== undefined || known.has(content.fingerprint)) return undefined;
  return content.plaintext === undefined || canBeOf(key, content.plaintext)
    ? `${sink.place} may hold it: what it holds is not known to be another key`
    : undefined;
};

/**
 * The keys that a sink holds or may hold, each with the reason: the last cutover in the journal, a job that delivers the newest key of the service, a
 * sink that holds this key or a text that may be this key and is not known to be another one, or a place in the journal that is no longer declared. A
 * sink that cannot be read now counts as holding the keys of its service.
 */
export const keptBySinks = async (
  deps: Deps,
  { asked, all, now, signal }: SinkSurvey,
): Promise<ReadonlyMap<number, string>> => {
  const { account, journal, consumerOf, deliveredBy = () => [] } = deps;
  const contents = new Map<string, SinkContent | Error | undefined>();
  const known = new Set(all.map(({ key }) => journal.state(account).fingerprints.get(key.id)));
  const byService = groupBy(all, ({ service }) => service);
  const contentOf = async (sink: Sink, key: SurveyedKey): Promise<SinkContent | Error | undefined> => {
    const id = JSON.stringify([key.service, sink.place]);
    if (!contents.has(id)) contents.set(id, await readSink(account, sink, key, signal));
    return contents.get(id);
  };
  const whyKept = async (one: SurveyedKey): Promise<string | undefined> => {
    const { key, service } = one;
    const current = journal.state(account).current.get(service);
    if (current?.keyId === key.id) {
      const places = current.places.join(' and ');
      if (places === '') return `every sink of ${service} holds it`;
      return `${places} ${current.places.length === 1 ? 'holds' : 'hold'} it`;
    }
    if (one.unfinished === true) return `a sink of ${service} may hold it: its delivery never completed`;
    const jobs = deliveredBy(one);
    const [job] = jobs;
    if (job !== undefined && one.candidates?.some(({ keyId }) => keyId === key.id) === true)
      return `consumers of ${service} may hold it: ${currentUnknown(service, one.candidates)}`;
    const line = byService.get(service) ?? [];
    const isNewest = isLive(one, now) && newestOf(line, now).some((other) => other.key.id === key.id);
    if (job !== undefined && isNewest) return `it is the newest key of ${service}, which job ${job} delivers`;
    const sinks = jobs.flatMap((name) => consumerOf(name, service)?.sinks ?? []);
    const fingerprint = journal.state(account).fingerprints.get(key.id);
    for (const sink of sinks) {
      const why = heldBy(sink, await contentOf(sink, one), one, fingerprint, known);
      if (why !== undefined) return why;
    }
    const places = deadBy(key, now) === undefined ? undeclaredPlaces(deps, service, sinks) : [];
    return places.length === 0 ? undefined : undeclaredText(places);
  };
  const kept = new Map<number, string>();
  for (const one of asked) {
    const why = await whyKept(one);
    if (why !== undefined) kept.set(one.key.id, why);
  }
  return kept;
};
