import { countText, durationText, startOfMinute, toMillis, type UnixMillis } from '../../core/index.ts';
import { clockPassed } from '../../keys/index.ts';
import type { PlanCounts, PlanFacts, PlanTexts } from '../plan-texts.ts';

type At = (moment: UnixMillis) => string;

const rotation = ({ service, isSplit, terms }: Extract<PlanFacts, { kind: 'rotate' }>): string => {
  const { retire, overlap } = terms;
  const end = retire.ending === 'delete' ? 'deleted' : 'set to expire';
  const when =
    retire.when === 'unused'
      ? `${end} when the log shows no call by it for ${durationText(retire.quiet)}, after at least ${durationText(overlap)}`
      : `${end} after ${durationText(overlap)}`;
  return `${isSplit ? 'its sinks may hold different keys since its last rotation was given up: ' : ''}a new key of ${service} is created, verified and delivered; the old key is ${when}`;
};

type End = Extract<PlanFacts, { kind: 'end' }>;

/** What is done to a key whose end is planned. */
export const endText = (action: End['action'], at: At): string => {
  if (action.kind === 'warn') return `its owner is notified: ${action.stage}`;
  if (action.kind === 'delete') return 'it is deleted permanently';
  if (!('at' in action)) return 'it expires at once';
  return `it expires at ${at(startOfMinute(toMillis(action.at)))}`;
};

const kinds = [
  ['rotate', 'rotated'],
  ['warn', 'warned about'],
  ['expire', 'set to expire'],
  ['delete', 'deleted'],
] as const;

/** `2 keys warned about, 1 key deleted`; `would`: for a plan. */
export const countsText = (counts: Omit<PlanCounts, 'skipped'>, would = ''): string =>
  kinds
    .flatMap(([kind, label]) => {
      const { [kind]: count } = counts;
      return count === undefined ? [] : [`${countText(count, 'key')} ${would}${label}`];
    })
    .join(', ');

/** A suffix for titles. */
export const skippedText = (skipped: number): string =>
  skipped === 0 ? '' : `, ${skipped.toLocaleString('en-US')} skipped`;

export const englishPlans: PlanTexts = {
  title: ({ skipped, ...planned }) =>
    `${countsText(planned, 'would be ') || 'no key would be ended'}${skippedText(skipped)}`,
  planned: (facts, at) =>
    facts.kind === 'rotate'
      ? rotation(facts)
      : `${endText(facts.action, at)} (${clockPassed(facts.clock, facts.passed)})`,
  skipped: (_, message) => message,
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
