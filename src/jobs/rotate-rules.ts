import type { KindFault, RuledJob } from '../config/index.ts';
import { evidenceFaults } from './evidence-rules.ts';
import { placeFaults, rotateOf } from './place-rules.ts';
import type { RotateSettings } from './rotate-shape.ts';
import { writtenSpan } from './written-span.ts';

const spanFaults = ({ retire, overlap, every }: RotateSettings): KindFault[] => {
  const { quiet, max_overlap: most } = retire;
  return [
    ...(every > overlap
      ? []
      : [
          {
            path: ['every'],
            message: `(${writtenSpan(every)}) is no longer than overlap (${writtenSpan(overlap)}): the next rotation would be due before the one before it is over`,
            advice: 'make every longer or overlap shorter',
          },
        ]),
    ...(most === undefined || most >= overlap + quiet
      ? []
      : [
          {
            path: ['retire', 'max_overlap'],
            message: `(${writtenSpan(most)}) is shorter than overlap and quiet together (${writtenSpan(overlap + quiet)}): no old key could be proven idle by then`,
            advice: `make it ${writtenSpan(overlap + quiet)} or longer`,
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
          message: 'is apply, and nothing says where the new keys go',
          advice:
            'add deliver: [{ file: { path: "/secrets/{service}.env", variable: GATEWAY_API_KEY } }], or write mode: plan',
        },
      ]
    : [];

/** What is wrong with a rotate-keys job beyond its shape. */
export const rotateFaults = (job: RuledJob, all: readonly RuledJob[]): readonly KindFault[] => {
  const settings = rotateOf(job);
  if (settings === undefined) return [];
  const { retire } = settings;
  return [
    ...applyFaults(settings),
    ...spanFaults(settings),
    ...placeFaults(job, settings, all),
    ...(retire.when === 'unused'
      ? evidenceFaults(job, all, {
          path: ['retire'],
          quiet: retire.quiet,
          what: 'or write retire: { when: after-overlap }, which ends old keys used or not',
        })
      : []),
  ];
};
