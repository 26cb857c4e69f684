import { zero, type Clock } from '../../core/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import type { LearnedPoint } from '../../warehouse/index.ts';
import { knownUnit, needsProbe, type UpdateKnowledge } from '../update/knowledge.ts';
import { putWhole } from '../update/put-whole.ts';
import { writtenQuota } from '../update/quota-unit.ts';
import type { KeyGateway } from '../cycle/engine-deps.ts';
import type { KeyFields } from '../model/event-fields.ts';

export type KeyGatewayDeps = {
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly knowledge: () => Promise<UpdateKnowledge>;
  /** Learns how the gateway updates keys, on a temporary key. */
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
  readonly distrust: (points: readonly LearnedPoint[]) => Promise<unknown>;
};

/** The gateway for rotations: learns what the contract leaves open before it matters. */
export const createKeyGateway = ({
  gateway,
  clock,
  knowledge,
  probe,
  distrust,
}: KeyGatewayDeps): KeyGateway => {
  const known = async (signal: AbortSignal): Promise<UpdateKnowledge> => {
    const first = await knowledge();
    if (!needsProbe(first)) return first;
    await probe(signal);
    return knowledge();
  };
  /** In the unit of requests. */
  const quotaOf = async (name: string, fields: KeyFields, signal: AbortSignal) =>
    fields.unlimitedQuota
      ? zero
      : writtenQuota(fields.remainQuota, knownUnit(await known(signal), `the key ${name}`), 'down').number;
  return {
    list: (signal) => gateway.listKeys({ signal }),
    read: (id, signal) => gateway.readKey(id, { signal }),
    create: (name, fields, signal) =>
      quotaOf(name, fields, signal).then((remainQuota) =>
        gateway.createKey({ ...fields, name, remainQuota }, { signal }),
      ),
    update: async (id, change, { neverRaise }, signal) =>
      putWhole(gateway, id, change, {
        knowledge: await known(signal),
        clock,
        signal,
        inexact: 'down',
        neverRaise,
        distrust,
      }),
    remove: (id, signal) => gateway.deleteKey(id, { signal }),
  };
};
