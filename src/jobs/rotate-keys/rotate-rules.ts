import type { KindFault, RuledJob } from '../../config/index.ts';
import { placeByName, serviceProblem, templateOf } from '../../keys/index.ts';
import { evidenceFaults } from '../keys/evidence-rules.ts';
import { placeFaults, rotateOf } from './place-rules.ts';
import type { RotateSettings } from './rotate-shape.ts';
import { writtenDuration } from '../keys/written-duration.ts';

const rangeFaults = ({ retire, overlap, every }: RotateSettings): KindFault[] => {
  const { quiet, max_overlap: most } = retire;
  return [
    ...(every > overlap
      ? []
      : [
          {
            path: ['every'],
            message: `(${writtenDuration(every)}) is not longer than overlap (${writtenDuration(overlap)}): the next rotation would be due before the previous one is complete`,
            advice: 'increase every or reduce overlap',
          },
        ]),
    ...(most === undefined || most >= overlap + quiet
      ? []
      : [
          {
            path: ['retire', 'max_overlap'],
            message: `(${writtenDuration(most)}) is shorter than overlap and quiet together (${writtenDuration(overlap + quiet)}): no old key could be proven idle by then`,
            advice: `set it to ${writtenDuration(overlap + quiet)} or longer`,
          },
        ]),
  ];
};

const applyFaults = ({ mode, deliver }: RotateSettings): KindFault[] =>
  mode === 'apply' && deliver === undefined
    ? [
        {
          path: ['mode'],
          onKey: true,
          message: 'is apply, but no sink is declared for the new keys',
          advice:
            'add deliver: [{ file: { path: "/secrets/{service}.env", variable: GATEWAY_API_KEY } }], or set mode: plan',
        },
      ]
    : [];

/** The smallest service and generation that every key of the selection has, as far as the pattern determines them. */
const leastPlace = (pattern: string, text: string) => {
  const template = templateOf(text);
  const [literal = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return placeByName(template, literal);
  // After the separator between service and number, the pattern says nothing about the service.
  return literal === '' || literal.includes(template.between)
    ? undefined
    : { service: literal, generation: 1 };
};

const nameFaults = ({ keys, name }: RotateSettings): KindFault[] => {
  const least = keys.name === undefined ? undefined : leastPlace(keys.name, name);
  const problem =
    least === undefined || least.service === ''
      ? undefined
      : serviceProblem(least.service, name, least.generation);
  return problem === undefined
    ? []
    : [
        {
          path: ['keys', 'name'],
          message: `selects keys that cannot have a successor: ${problem}`,
          advice:
            'shorten the template under `name`, or move the key to a service with a shorter name with `tollkeeper keys adopt --move`',
        },
      ];
};

export const rotateFaults = (job: RuledJob, all: readonly RuledJob[]): readonly KindFault[] => {
  const settings = rotateOf(job);
  if (settings === undefined) return [];
  const { retire } = settings;
  return [
    ...applyFaults(settings),
    ...rangeFaults(settings),
    ...nameFaults(settings),
    ...placeFaults(job, settings, all),
    ...(retire.when === 'unused'
      ? evidenceFaults(job, all, {
          path: ['retire'],
          quiet: retire.quiet,
          what: 'or set retire: { when: after-overlap }, which ends old keys whether used or not',
        })
      : []),
  ];
};
