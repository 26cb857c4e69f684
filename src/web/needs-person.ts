import type { RotationView } from '../keys/index.ts';
import { countText, listText } from '../core/index.ts';
import type { StatusView } from './status-view.ts';

/** Keeps the line readable. */
const maxNames = 5;

const servicesOf = (rotations: readonly Pick<RotationView, 'service'>[]): string =>
  listText(
    rotations.map(({ service }) => service),
    maxNames,
  );

const ofKeys = ({
  rotations = [],
  keyProblem,
  clockProblems = [],
  outdated = [],
  deadKeys = [],
}: NonNullable<StatusView['data']>): readonly string[] => {
  const waiting = rotations.filter(({ stage }) => stage === 'waiting');
  const overdue = rotations.filter(({ stage, escalated }) => stage !== 'waiting' && escalated === true);
  const held = rotations.filter(({ isHeldByPlace }) => isHeldByPlace === true);
  return [
    ...(held.length === 0
      ? []
      : [
          `${held.length === 1 ? 'an old key is' : 'old keys are'} retained because a place may still hold ${held.length === 1 ? 'it' : 'them'}: ${servicesOf(held)}`,
        ]),
    ...(keyProblem === undefined ? [] : ['the key journal failed verification']),
    ...(clockProblems.length === 0
      ? []
      : [`the clock is wrong: ${clockProblems.map(({ account }) => account).join(', ')}`]),
    ...(deadKeys.length === 0
      ? []
      : [
          `${deadKeys.length === 1 ? 'a sink holds a key' : 'sinks hold keys'} that no longer ${deadKeys.length === 1 ? 'works' : 'work'}: ${servicesOf(deadKeys)}`,
        ]),
    ...(outdated.length === 0 ? [] : [`the key journal is out of date: ${servicesOf(outdated)}`]),
    ...(waiting.length === 0
      ? []
      : [
          `${waiting.length === 1 ? 'a rotation is paused' : 'rotations are paused'}: ${servicesOf(waiting)}`,
        ]),
    ...(overdue.length === 0
      ? []
      : [
          `${overdue.length === 1 ? 'an old key is' : 'old keys are'} past the deadline: ${servicesOf(overdue)}`,
        ]),
  ];
};

/** What needs a person, one line each; empty when all is well. */
export const needsPerson = ({
  jobs,
  mail,
  config,
  data,
  storeProblem,
}: Pick<StatusView, 'jobs' | 'mail' | 'config' | 'data' | 'storeProblem'>): readonly string[] => {
  const failed = jobs
    .filter(({ failure, outageSince }) => failure !== undefined && outageSince === undefined)
    .map(({ job }) => job);
  const outages = jobs.filter(({ outageSince }) => outageSince !== undefined).map(({ job }) => job);
  const neverRan = jobs.filter(
    ({ missedFirst, outageSince }) => missedFirst !== undefined && outageSince === undefined,
  );
  return [
    ...(storeProblem === undefined ? [] : [`nothing can be stored: ${storeProblem.message}`]),
    ...(neverRan.length === 0
      ? []
      : [
          `${neverRan.length === 1 ? 'job' : 'jobs'} never ran and missed the first slot: ${neverRan.map(({ job }) => job).join(', ')}`,
        ]),
    ...(outages.length === 0
      ? []
      : [`${outages.length === 1 ? 'job' : 'jobs'} in outage: ${outages.join(', ')}`]),
    ...(failed.length === 0 ? [] : [`${failed.length === 1 ? 'job' : 'jobs'} failed: ${failed.join(', ')}`]),
    ...(config.faults.length === 0 ? [] : [`${countText(config.faults.length, 'fault')} in the config`]),
    ...(data === undefined ? [] : ofKeys(data)),
    ...(mail.failed === 0 ? [] : [`${countText(mail.failed, 'mail')} refused`]),
    ...(mail.unknown === 0 ? [] : [`${countText(mail.unknown, 'mail')} of unknown outcome`]),
    ...(mail.held === 0 ? [] : [`${countText(mail.held, 'mail')} held since a restore`]),
  ];
};
