import { note } from '../cycle/cycle.ts';
import type { OfOld, Step } from './step.ts';

export const finish: Step<Pick<OfOld, 'rotation'>> = {
  name: 'finish',
  due: () => true,
  run: ({ cycle }, { rotation }) => note(cycle, rotation, { what: 'done' }),
};
