import type { UnixMillis } from '../../core/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import type { KeyEvent } from '../events/key-event.ts';
import type { KeyJournal } from '../journal/journal.ts';
import { printKeyName, templateOf } from '../plan/key-names.ts';
import { probeService, type ProbeKeys } from '../update/probe.ts';
import { created, createLost, type CreatedKey } from '../cycle/creation.ts';

type ProbeDeps = {
  readonly account: string;
  readonly journal: KeyJournal;
  readonly gateway: Gateway;
  readonly now: () => UnixMillis;
};

const template = templateOf('{service}.g{generation}');

/** Creates temporary keys and records them like any other, so that a leftover one is found and deleted. */
export const createProbeKeys = ({ account, journal, gateway, now }: ProbeDeps): ProbeKeys => {
  const common = (rotation: string) => ({
    at: now(),
    who: 'probe',
    account,
    service: probeService,
    rotation,
  });
  const names = new Map<number, { rotation: string; generation: number; name: string }>();
  const record = (event: KeyEvent): Promise<void> => journal.record([event]);
  return {
    createProbeKey: async (spec, signal) => {
      const generation = (journal.state(account).highest.get(probeService) ?? 0) + 1;
      const name = printKeyName(template, { service: probeService, generation });
      const rotation = `probe/${generation}`;
      const asked = { generation, name, spec };
      await record({ ...common(rotation), what: 'creating', ...asked });
      let made: CreatedKey;
      try {
        made = await gateway.createKey({ ...spec, name }, { signal });
      } catch (error) {
        await record({ ...common(rotation), ...createLost(asked, error) });
        throw error;
      }
      await record({ ...common(rotation), ...created(asked, made) });
      const { id } = made;
      names.set(id, { rotation, generation, name });
      return { id };
    },
    deleteProbeKey: async (id, signal) => {
      const known = names.get(id);
      if (known === undefined) throw new RangeError(`the key ${id} is not a temporary key`);
      const { rotation, ...key } = known;
      await record({ ...common(rotation), what: 'deleting', keyId: id, ...key, why: 'probe' });
      try {
        await gateway.deleteKey(id, { signal });
      } catch {
        // Only the list proves whether the key is gone; the next cycle deletes a leftover.
      }
      const listed = await gateway.listKeys({ signal });
      if (listed.every((one) => one.id !== id))
        await record({ ...common(rotation), what: 'deleted', keyId: id, ...key });
    },
  };
};
