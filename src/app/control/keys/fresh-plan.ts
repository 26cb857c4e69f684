import type { KeySurvey, PlannedExpiry } from '../../../keys/index.ts';
import type { FreshKeyPlan } from '../../keys/job-plans.ts';

const describeEnd = {
  warn: 'to be announced',
  expire: 'to be set to expire',
  delete: 'to be deleted',
} as const;

const whyNot = (
  { keyId }: PlannedExpiry,
  { expiries, skipped }: FreshKeyPlan,
  { keys }: KeySurvey,
): string => {
  if (!keys.some(({ key }) => key.id === keyId)) return 'it no longer exists';
  const others = expiries.filter((one) => one.keyId === keyId);
  if (others.length > 0)
    return `it is ${others.map(({ action }) => describeEnd[action.kind]).join(' and ')} now`;
  const why = skipped.find((one) => one.keyId === keyId);
  if (why === undefined) return 'the job no longer selects it';
  return why.reason === 'not-due'
    ? 'it is no longer due: it was used since, or the job was changed'
    : why.message;
};

export const endsKey = ({ action }: PlannedExpiry): boolean => action.kind !== 'warn';

/** Planned ends that a fresh plan no longer contains, one line each: use is not part of a key's state, so states alone miss it. */
export const noLongerPlanned = (
  filed: readonly PlannedExpiry[],
  now: FreshKeyPlan,
  survey: KeySurvey,
): readonly string[] =>
  filed
    .filter(
      ({ keyId, action }) =>
        !now.expiries.some((one) => one.keyId === keyId && one.action.kind === action.kind),
    )
    .map(
      (planned) =>
        `${planned.name} (id ${planned.keyId}) is no longer ${describeEnd[planned.action.kind]}: ${whyNot(planned, now, survey)}`,
    );
