import { countText, durationText, formatSlot } from '../../core/index.ts';
import { needsAttention, type SkippedKey } from '../../keys/index.ts';
import { localeOf, type PlanCounts, type PlanFacts } from '../../messages/index.ts';

export type PlannedKey = {
  readonly name: string;
  /** Milliseconds; undefined when the gateway does not report it. */
  readonly age?: number | undefined;
  readonly service: string;
  readonly facts: PlanFacts;
};

/** What a key job would do, for the mail and for `run --dry-run`. */
export type KeyPlan = {
  readonly counts: PlanCounts;
  /** The keys that change, and those skipped for a reason that needs a person. */
  readonly keys: readonly PlannedKey[];
  /** Number of keys skipped for ordinary reasons, such as their age. */
  readonly usual: number;
};

const skippedKey = ({ name, service, reason, message, age, at }: SkippedKey): PlannedKey => ({
  name,
  service,
  facts: { kind: 'skip', reason, message, at },
  age,
});

export const keyPlan = (
  counts: Omit<PlanCounts, 'skipped'>,
  changed: readonly PlannedKey[],
  skipped: readonly SkippedKey[],
): KeyPlan => {
  const kept = skipped.filter(needsAttention);
  return {
    counts: { ...counts, skipped: kept.length },
    keys: [...changed, ...kept.map(skippedKey)],
    usual: skipped.length - kept.length,
  };
};

/** Commands are in English. */
const { plans } = localeOf('en');

/** `billing.g7 (60 days): MESSAGE`. */
const lineOf = ({ name, age, facts }: PlannedKey, zone: string): string => {
  const isSkipped = facts.kind === 'skip';
  const text = isSkipped ? facts.message : plans.planned(facts, (moment) => formatSlot(moment, zone));
  return `${isSkipped ? 'skip ' : ''}${name}${age === undefined ? '' : ` (${durationText(age)})`}: ${text}`;
};

/** One line for each key, after those that only this kind of job has. */
export const planLines = (
  { keys, usual }: KeyPlan,
  zone: string,
  before: readonly string[],
): readonly string[] => {
  const lines = [
    ...before,
    ...keys.map((key) => lineOf(key, zone)),
    ...(usual === 0 ? [] : [`skip ${countText(usual, 'other key')} as expected`]),
  ];
  return lines.length === 0 ? ['nothing: the job selects no existing key'] : lines;
};
