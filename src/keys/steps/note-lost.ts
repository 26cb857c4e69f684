import { note } from '../cycle/cycle.ts';
import type { OfAttempt, Step } from './step.ts';

/** Records that the process ended before an answer to the request was recorded. */
export const noteLost: Step<Pick<OfAttempt, 'rotation' | 'attempt'>> = {
  name: 'note-lost',
  due: ({ attempt }) => attempt.state === 'asked',
  run: ({ cycle }, { rotation, attempt: { generation, name } }) =>
    note(cycle, rotation, {
      what: 'create-lost',
      generation,
      name,
      code: 'interrupted',
      message: 'the process ended before an answer arrived',
    }),
};
