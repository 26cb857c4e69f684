import type { Advanced, EndedKey, KeyOutcome } from './model/service-types.ts';

/** What an operation did. `isNone`: it started no rotation that it was to start. */
export const outcomeOf = ({
  advanced = [],
  changes = [],
  notes = [],
  isNone = false,
}: {
  readonly advanced?: readonly Advanced[];
  readonly changes?: readonly EndedKey[];
  readonly notes?: readonly string[];
  readonly isNone?: boolean;
}): KeyOutcome => {
  const isGood = ({ view: { stage, tries }, fault }: Advanced): boolean =>
    fault === undefined && tries === 0 && stage !== 'waiting' && stage !== 'given-up';
  return {
    rotations: advanced.map(({ view, fault }) =>
      fault === undefined
        ? view
        : { ...view, fault: { code: fault.code, message: fault.message, advice: fault.advice } },
    ),
    changes,
    notes,
    good: !isNone && advanced.every(isGood) && changes.every(({ done }) => done),
  };
};
