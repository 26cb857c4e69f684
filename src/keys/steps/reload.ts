import { generationKeyOf, note } from '../cycle/cycle.ts';
import { consumerOf, type OfOld, type Step } from './step.ts';

type AfterCutover = Pick<OfOld, 'rotation' | 'view' | 'attempt'>;

const isDue = ({ rotation, view }: AfterCutover): boolean =>
  rotation.reloadedAt === undefined && view.reloads;

/** Notifies the consumer to load the new key, after the old keys of the rotation have ended. */
export const reloadLast: Step<AfterCutover> = {
  name: 'reload',
  due: isDue,
  run: async (work, { rotation, attempt }) => {
    await consumerOf(work, rotation).reload?.(rotation.service, work.cycle.signal);
    await note(work.cycle, rotation, { what: 'reloaded', ...generationKeyOf(attempt) });
  },
};

/** Notifies the consumer before an old key ends; a compromised key is deleted even if its consumer cannot be notified. */
export const reload: Step<AfterCutover> = {
  ...reloadLast,
  due: (situation) => {
    const { terms, tries } = situation.rotation;
    return isDue(situation) && !(terms.retire.when === 'now' && tries > 0);
  },
};
