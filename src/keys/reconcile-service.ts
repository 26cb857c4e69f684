import type { UnixMillis } from '../core/index.ts';
import { adoptionOf, createdAtOr, openRotation } from './service-parts.ts';
import type { ReconciledService } from './model/service-types.ts';
import { deadKeyText, differenceText } from './events/notices.ts';
import { deadKeysOf } from './inspect.ts';
import { note, type Cycle, type NewEvent } from './cycle/cycle.ts';
import { differencesOf, readSinkContents, sinksOf } from './cycle/up-to-date.ts';

type Change = { readonly event: NewEvent; readonly message: string };

/** Adopts keys of the open rotation that the journal takes for orphans, because others may use them. */
const doubted = (cycle: Cycle, service: string, now: UnixMillis): readonly Change[] => {
  const { account, journal } = cycle.deps;
  const attempts = openRotation(journal, account, service)?.attempts ?? [];
  return attempts.flatMap(({ generation, name, keyId, state }): readonly Change[] => {
    if (state === 'gone' || state === 'superseded') return [];
    const named = [...cycle.keys().values()].filter((key) => key.name === name);
    const listed =
      keyId === undefined ? (named.length === 1 ? named[0] : undefined) : cycle.keys().get(keyId);
    return listed === undefined
      ? []
      : [
          {
            event: adoptionOf({ keyId: listed.id, generation, name }, createdAtOr(listed, now)),
            message: `${name} (id ${listed.id}) is generation ${generation} of ${service}`,
          },
        ];
  });
};

const changesOf = async (cycle: Cycle, service: string): Promise<readonly Change[]> => {
  const { account, journal, clock } = cycle.deps;
  const job = journal.state(account).managed.get(service);
  const { differences } = await differencesOf(cycle, service, job);
  const { contents } = await readSinkContents(cycle, service, sinksOf(cycle.deps, job, service) ?? []);
  const open = openRotation(journal, account, service);
  return [
    ...doubted(cycle, service, clock.now()),
    ...differences.flatMap((found): readonly Change[] => {
      const listed = found.kind === 'key' ? cycle.keys().get(found.keyId) : undefined;
      if (found.kind !== 'key' || listed === undefined) return [];
      const { keyId, name, place } = found;
      return [
        {
          event: adoptionOf({ keyId, generation: place.generation, name }, createdAtOr(listed, clock.now())),
          message: `${name} (id ${keyId}) is generation ${place.generation} of ${service}`,
        },
      ];
    }),
    ...contents
      .filter(({ is }) => is !== 'known')
      .map(({ place, sink, fingerprint }) => ({
        event: { what: 'observed' as const, place, fingerprint },
        message: `the current content of ${sink} is recorded (SHA-256 ${fingerprint.slice(0, 12)}…)`,
      })),
    ...(open === undefined
      ? []
      : [
          {
            event: { what: 'given-up' as const },
            message: `the rotation ${open.id} is given up; the next one delivers one key to every sink`,
          },
        ]),
    { event: { what: 'reconciled' as const }, message: `key operations of ${service} resume` },
  ];
};

/**
 * What the journal of the service does not know. `apply` records it: the existing generations, the contents of the sinks, and the end of the open
 * rotation, which relied on outdated facts. Changes no key and no sink.
 */
export const reconcileService = async (
  cycle: Cycle,
  service: string,
  apply: boolean,
): Promise<ReconciledService | undefined> => {
  const { account, journal } = cycle.deps;
  const { differences } = await differencesOf(cycle, service, journal.state(account).managed.get(service));
  const flagged = journal.state(account).outdated.get(service);
  const faults = (await deadKeysOf(cycle, service)).map(deadKeyText);
  const isOutdated = differences.length > 0 || flagged !== undefined;
  if (!isOutdated)
    return faults.length === 0
      ? undefined
      : { service, differences: [], changes: [], applied: false, faults };
  const changes = await changesOf(cycle, service);
  const open = openRotation(journal, account, service);
  if (apply)
    await note(
      cycle,
      { id: open?.id ?? `reconcile/${service}`, service },
      ...changes.map(({ event }) => event),
    );
  return {
    service,
    differences: differences.map(differenceText),
    changes: changes.map(({ message }) => message),
    applied: apply,
    faults,
  };
};
