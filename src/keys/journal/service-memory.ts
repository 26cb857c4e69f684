import type { UnixMillis } from '../../core/index.ts';
import type { KeyEvent } from '../key-event.ts';

/** A service whose journal is older than the gateway or its sinks, or for which another program creates keys. */
export type OutdatedService = {
  readonly service: string;
  readonly since: UnixMillis;
  /** What the journal does not know, one line each. */
  readonly differences: readonly string[];
};

export const createServiceMemory = () => {
  const outdated = new Map<string, Map<string, OutdatedService>>();
  const managed = new Map<string, Map<string, string | undefined>>();
  const of = <Value>(memory: Map<string, Map<string, Value>>, account: string): Map<string, Value> => {
    const known = memory.get(account) ?? new Map<string, Value>();
    memory.set(account, known);
    return known;
  };
  return {
    outdatedOf: (account: string): ReadonlyMap<string, OutdatedService> => of(outdated, account),
    managedOf: (account: string): ReadonlyMap<string, string | undefined> => of(managed, account),
    take: (event: KeyEvent): void => {
      const { account, service, at } = event;
      const services = of(managed, account);
      if (event.what === 'planned') services.set(service, event.terms.job);
      const isOurs = event.what === 'adopted' || event.what === 'created';
      if (isOurs && !services.has(service)) services.set(service, undefined);
      if (event.what === 'reconciled') of(outdated, account).delete(service);
      if (event.what !== 'outdated') return;
      const { differences } = event;
      const since = of(outdated, account).get(service)?.since ?? at;
      of(outdated, account).set(service, { service, since, differences });
    },
  };
};
