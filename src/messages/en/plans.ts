import { durationText } from '../../core/index.ts';
import type { PlanTexts } from '../plan-texts.ts';

export const englishPlans: PlanTexts = {
  title: (_, words) => words,
  planned: (_, words) => words,
  skipped: (_, words) => words,
  age: durationText,
  more: (keys) => `… and ${keys} more keys.`,
  usual: (keys) =>
    `${keys === 1 ? '1 other key is' : `${keys} other keys are`} skipped as expected: not due yet, being rotated, or replaced by a newer one.`,
  closing: (job, account, at) => [
    `Plan of job ${job}, account ${account}, created ${at}. Nothing was changed.`,
    `\`tollkeeper keys plan ${job} -o plan.json\` writes it to a file, \`tollkeeper keys apply plan.json\` carries it out.`,
    'With `mode: apply` the job carries it out automatically.',
  ],
  recipients: (job) => `mail.to of job ${job}`,
  blocked: {
    current: (service) => ({
      title: `The keys of ${service} are not rotated: it is unknown which one its consumers hold`,
      advice: '`tollkeeper keys rotate id:N`, with the id of the key to replace.',
    }),
    name: (name, word, job) => ({
      title: `The key ${name} cannot be rotated because of its name`,
      advice: `\`tollkeeper keys adopt ${word} --service SHORTER --generation 1 --move\`, or a shorter \`name\` template in job ${job}.`,
    }),
    closing: 'The key remains valid, and gets no successor until then. No further mail is sent about this.',
  },
};
