import type { UnixMillis } from '../../core/index.ts';
import type { KeySurvey, PlannedExpiry, SurveyedKey } from '../model/service-types.ts';
import type { ExpiryClock, ExpiryEvidence, ExpiryPolicy } from './expiry-policy.ts';
import { judgeExpiry, type Step } from './expiry-step.ts';
import { skippedKey, oldestFirst, type SkippedKey } from './skipped-key.ts';
import { deadBy, isExhausted, isExpired } from './key-state.ts';
import { withinLimits } from './limits.ts';
import { ageOf, isSelected, type TeamPatterns } from './select.ts';

export type ExpiryPlan = {
  readonly at: UnixMillis;
  readonly selected: number;
  /** The oldest key first; so many milliseconds have `passed` on the clock. `age` in milliseconds. */
  readonly expiries: readonly {
    readonly planned: PlannedExpiry;
    readonly clock: ExpiryClock;
    readonly passed: number;
    readonly age?: number | undefined;
  }[];
  readonly skipped: readonly SkippedKey[];
};

type Ending = { readonly surveyed: SurveyedKey; readonly step: Extract<Step, { readonly action: unknown }> };

const selectedForExpiry = (
  survey: KeySurvey,
  policy: ExpiryPolicy,
  teams: readonly TeamPatterns[],
): readonly SurveyedKey[] =>
  oldestFirst(survey.keys.filter((key) => isSelected(key, policy.select, { teams, now: survey.at })));

/** The keys to warn about, expire or delete now, the oldest first, and for every other key why it is skipped. */
export const planExpiry = (
  survey: KeySurvey,
  policy: ExpiryPolicy,
  evidence: ExpiryEvidence,
  teams: readonly TeamPatterns[],
): ExpiryPlan => {
  const now = survey.at;
  const names = new Map<string, number>();
  for (const { key } of survey.keys) names.set(key.name, (names.get(key.name) ?? 0) + 1);
  const selected = selectedForExpiry(survey, policy, teams);
  const skipped: SkippedKey[] = [];
  const warned: Ending[] = [];
  const due: Ending[] = [];
  for (const surveyed of selected) {
    const step = judgeExpiry({ surveyed, policy, evidence, now }, names.get(surveyed.key.name) ?? 0);
    if (!('action' in step)) skipped.push(skippedKey(surveyed, now, step.reason, step.message, step.at));
    else (step.action.kind === 'warn' ? warned : due).push({ surveyed, step });
  }
  const works = ({ key }: SurveyedKey): boolean => deadBy(key, now) === undefined;
  const limited = withinLimits(due, policy.limits, {
    selected: selected.length,
    remaining: selected.filter(works).length,
    reduces: ({ surveyed }) => works(surveyed),
  });
  const taken = new Set([...warned, ...limited.taken].map(({ surveyed }) => surveyed));
  const steps = new Map([...warned, ...due].map(({ surveyed, step }) => [surveyed, step]));
  return {
    at: now,
    selected: selected.length,
    expiries: selected.flatMap((surveyed) => {
      const step = steps.get(surveyed);
      if (step === undefined || !taken.has(surveyed)) return [];
      const { key, service, generation } = surveyed;
      const age = ageOf(surveyed, now);
      const planned = {
        keyId: key.id,
        generation,
        name: key.name,
        service,
        action: step.action,
        ...(policy.evenIfCurrent ? { evenIfCurrent: true } : {}),
        ...(policy.evenIfUsed || step.action.kind === 'warn' ? {} : { ifUnused: true }),
      };
      const { clock, passed } = step;
      return [{ planned, clock, passed, age }];
    }),
    skipped: [
      ...skipped,
      ...limited.skipped.map(({ item, reason, message }) => skippedKey(item.surveyed, now, reason, message)),
    ],
  };
};

/** Whether a clock can reach the first stage, as far as the key list shows. */
const mayBeDue = (surveyed: SurveyedKey, { by, stages }: ExpiryPolicy, now: UnixMillis): boolean => {
  const first = Math.min(...Object.values(stages).filter((at) => at !== undefined));
  const isOld = (ageOf(surveyed, now) ?? first) >= first;
  return by.some((clock) => {
    if (clock === 'expired') return isExpired(surveyed.key, now);
    return isOld && (clock !== 'exhausted' || isExhausted(surveyed.key));
  });
};

export const keysAsked = (
  survey: KeySurvey,
  policy: ExpiryPolicy,
  teams: readonly TeamPatterns[],
): readonly SurveyedKey[] =>
  selectedForExpiry(survey, policy, teams).filter((surveyed) => mayBeDue(surveyed, policy, survey.at));
