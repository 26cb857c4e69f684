import { deadBy } from '../plan/key-state.ts';
import type { OldKeyState } from '../model/alert.ts';
import type { Rotation } from '../model/rotation.ts';
import type { Cycle } from '../cycle/cycle.ts';

/** Whether consumers have a key that works while the rotation has delivered none. */
export const oldKeyState = (cycle: Cycle, { old }: Rotation): OldKeyState => {
  if (old === undefined) return { state: 'none', name: '' };
  const listed = cycle.keys().get(old.keyId);
  const dead = listed && deadBy(listed, cycle.deps.clock.now());
  return { state: listed === undefined ? 'gone' : (dead ?? 'works'), name: old.name };
};

export const describeOldKey = (cycle: Cycle, rotation: Rotation): string => {
  const { state, name } = oldKeyState(cycle, rotation);
  if (state === 'none') return `${rotation.service} has no other key`;
  if (state === 'gone') return `its old key ${name} no longer exists`;
  return state === 'works' ? 'its old key is unchanged and works' : `its old key ${name} is ${state}`;
};
