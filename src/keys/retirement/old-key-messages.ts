import { deadBy } from '../plan/key-state.ts';
import type { Rotation } from '../model/rotation.ts';
import type { Cycle } from '../cycle/cycle.ts';

export const describeOldKey = (cycle: Cycle, { old, service }: Rotation): string => {
  if (old === undefined) return `${service} has no other key`;
  const listed = cycle.keys().get(old.keyId);
  if (listed === undefined) return `its old key ${old.name} no longer exists`;
  const dead = deadBy(listed, cycle.deps.clock.now());
  return dead === undefined ? 'its old key is unchanged and works' : `its old key ${old.name} is ${dead}`;
};
