import { weekMillis, errorFields, shellWord } from '../../core/index.ts';
import { differenceText, outdatedText } from '../events/notices.ts';
import type { ApiKey } from '../../gateway/index.ts';
import type { OutdatedService } from '../model/service-types.ts';
import { keyByMask } from '../plan/current-candidates.ts';
import { readName } from '../plan/key-names.ts';
import { fingerprintOf } from '../sinks/fingerprint.ts';
import type { Sink } from '../model/sink.ts';
import { findDifferences, type Difference, type SinkContent, type UnknownKey } from './find-differences.ts';
import type { EngineDeps } from './engine-deps.ts';
import { note, notifyOf, type Cycle } from './cycle.ts';

type JournalDeps = Pick<EngineDeps, 'account' | 'journal' | 'templates'>;

/** Listed keys whose names belong to a managed service and which the journal does not know. */
const unknownKeys = (
  { account, journal, templates }: JournalDeps,
  service: string,
  keys: Iterable<ApiKey>,
): readonly UnknownKey[] => {
  if (!journal.state(account).managed.has(service)) return [];
  const lineage = journal.state(account).lineage;
  return [...keys].flatMap(({ id, name }) => {
    const place = readName(name, templates);
    if (place?.service !== service || lineage.has(id)) return [];
    return journal.state(account).requests.get(name) === undefined ? [{ keyId: id, name, place }] : [];
  });
};

/** Listed keys of the service which prove that the journal is older than the gateway. */
export const newerKeys = (
  deps: JournalDeps,
  service: string,
  keys: Iterable<ApiKey>,
): readonly Difference[] =>
  findDifferences(
    deps.journal.state(deps.account).highest.get(service) ?? 0,
    unknownKeys(deps, service, keys),
    [],
  );

/** What each readable sink holds. `whole`: every sink was read; a failed read proves nothing. */
export const readSinkContents = async (
  cycle: Cycle,
  service: string,
  sinks: readonly Sink[],
): Promise<{ readonly contents: readonly SinkContent[]; readonly whole: boolean }> => {
  const { account, journal, log } = cycle.deps;
  const generation = Math.max(1, journal.state(account).highest.get(service) ?? 0);
  const contents: SinkContent[] = [];
  let whole = true;
  for (const sink of sinks) {
    try {
      const delivery = { account, service, generation, keyName: service };
      const reading = await sink.fingerprint(delivery, cycle.signal);
      if (reading.state !== 'holds') continue;
      const { place } = sink;
      const known = journal.state(account).contents.get(place);
      const is = known === undefined ? 'first' : known.has(reading.fingerprint) ? 'known' : 'unknown';
      contents.push({ place, sink: sink.describe(), fingerprint: reading.fingerprint, is });
    } catch (error) {
      cycle.signal.throwIfAborted();
      whole = false;
      log.debug('a sink could not be read', { service, place: sink.place, ...errorFields(error) });
    }
  }
  return { contents, whole };
};

/** The sinks that the job declares for the service; undefined when they cannot be determined. */
export const sinksOf = (
  { consumerOf }: Pick<EngineDeps, 'consumerOf'>,
  job: string | undefined,
  service: string,
): readonly Sink[] | undefined => {
  try {
    return job === undefined ? undefined : consumerOf(job, service)?.sinks;
  } catch {
    // The step that needs the sinks reports the cause.
    return undefined;
  }
};

/** What the gateway and the sinks have and the journal does not know; `whole`: the list and every sink were read. */
export const differencesOf = async (
  cycle: Cycle,
  service: string,
  job: string | undefined,
): Promise<{ readonly differences: readonly Difference[]; readonly whole: boolean }> => {
  const { deps } = cycle;
  const sinks = sinksOf(deps, job, service);
  const { contents, whole } = await readSinkContents(cycle, service, sinks ?? []);
  const keys = unknownKeys(deps, service, cycle.keys().values());
  const highest = deps.journal.state(deps.account).highest.get(service) ?? 0;
  return { differences: findDifferences(highest, keys, contents), whole: whole && sinks !== undefined };
};

const notifyOutdated = async (
  cycle: Cycle,
  { service, since, differences: stated }: OutdatedService,
  differences?: readonly Difference[],
): Promise<void> => {
  const weeks = Math.max(0, Math.floor((cycle.deps.clock.now() - since) / weekMillis));
  await notifyOf(
    cycle,
    { id: `outdated/${service}`, service },
    {
      kind: 'waiting',
      about: { event: 'outdated', differences, stated },
      key: `outdated/${service}/${since}${weeks === 0 ? '' : `/${weeks}`}`,
    },
  );
};

export const describeStop = ({ service, differences }: OutdatedService): string =>
  `key operations of ${service} are suspended: ${outdatedText(differences)}; see \`tollkeeper keys reconcile ${shellWord(service)}\``;

/**
 * Why no key of the service may be written now: the gateway or a sink has what the journal does not know. Checked once per cycle, and before a step
 * with `again`; recorded and notified once.
 */
export const outdatedNow = async (
  cycle: Cycle,
  service: string,
  job: string | undefined,
  again = false,
): Promise<OutdatedService | undefined> => {
  const { journal, account, clock } = cycle.deps;
  const flagged = journal.state(account).outdated.get(service);
  if (!again && cycle.checked.has(service)) return flagged;
  cycle.checked.add(service);
  const { differences, whole } = await differencesOf(cycle, service, job);
  const rotation = { id: `outdated/${service}`, service };
  if (differences.length === 0) {
    if (flagged === undefined) return undefined;
    if (whole) await note(cycle, rotation, { what: 'reconciled' });
    else await notifyOutdated(cycle, flagged);
    return whole ? undefined : flagged;
  }
  const messages = differences.map(differenceText);
  const isNew = flagged?.differences.join('\n') !== messages.join('\n');
  if (isNew)
    cycle.deps.log.warn('key operations of a service are suspended: its journal is out of date', { service });
  if (isNew) await note(cycle, rotation, { what: 'outdated', differences: messages });
  const found = journal.state(account).outdated.get(service) ?? {
    service,
    since: clock.now(),
    differences: messages,
  };
  await notifyOutdated(cycle, found, differences);
  return found;
};

/** Records what the sinks hold before the first delivery, so that unknown content later proves another writer. */
export const observeSinks = async (
  cycle: Cycle,
  rotation: { readonly id: string; readonly service: string; readonly who?: string },
  sinks: readonly Sink[],
): Promise<void> => {
  const { contents } = await readSinkContents(cycle, rotation.service, sinks);
  const first = contents.filter(({ is }) => is === 'first');
  const steps = [];
  for (const { place, fingerprint } of first) {
    const sink = sinks.find((one) => one.place === place);
    const keyId = sink === undefined ? undefined : await heldKey(cycle, sink, fingerprint);
    steps.push({ what: 'observed' as const, place, fingerprint, ...(keyId === undefined ? {} : { keyId }) });
  }
  if (steps.length > 0) await note(cycle, rotation, ...steps);
};

/** The listed key that the sink holds, if the sink can be read and exactly one mask matches. */
const heldKey = async (cycle: Cycle, sink: Sink, fingerprint: string): Promise<number | undefined> => {
  const plaintext = (await sink.read?.(cycle.signal).catch(() => undefined))?.reveal();
  if (plaintext === undefined || fingerprintOf(plaintext) !== fingerprint) return undefined;
  return keyByMask(cycle.keys().values(), plaintext)?.id;
};
