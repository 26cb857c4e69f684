import { durationText, formatSlot } from '../../core/index.ts';
import type { ExpiryPlan, PlannedRotation, SkippedKey } from '../../keys/index.ts';
import { localeOf } from '../../messages/index.ts';
import type { PlannedKey } from './plan-mail.ts';

export const rotatedKey = ({
  planned,
  age,
}: {
  readonly planned: PlannedRotation;
  readonly age: number;
}): PlannedKey => ({
  name: planned.old?.name ?? planned.service,
  service: planned.service,
  facts: {
    kind: 'rotate',
    service: planned.service,
    isSplit: planned.why === 'split',
    terms: planned.terms,
  },
  age,
});

export const endedKey = ({ planned, clock, passed, age }: ExpiryPlan['expiries'][number]): PlannedKey => ({
  name: planned.name,
  service: planned.service,
  facts: { kind: 'end', action: planned.action, clock, passed },
  age,
});

export const skippedRow = ({ name, service, reason, message, age, at }: SkippedKey): PlannedKey => ({
  name,
  service,
  facts: { kind: 'skip', reason, message, at },
  age,
});

/** Commands are in English. */
const { plans } = localeOf('en');

/** `billing.g7 (60 days): MESSAGE`. */
export const keyLine = ({ name, age, facts }: PlannedKey, zone: string): string => {
  const isSkipped = facts.kind === 'skip';
  const text = isSkipped ? facts.message : plans.planned(facts, (moment) => formatSlot(moment, zone));
  return `${isSkipped ? 'skip ' : ''}${name}${age === undefined ? '' : ` (${durationText(age)})`}: ${text}`;
};
