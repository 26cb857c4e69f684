import { durationText, formatMoment } from '../../core/index.ts';
import type { ExpiryPlan, PlannedExpiry, PlannedRotation, SkippedKey } from '../../keys/index.ts';
import type { PlannedKey } from './plan-mail.ts';

const describeEnd = ({ retire, overlap }: PlannedRotation['terms']): string => {
  const end = retire.ending === 'delete' ? 'deleted' : 'set to expire';
  return retire.when === 'unused'
    ? `${end} when the log shows no call by it for ${durationText(retire.quiet)}, after at least ${durationText(overlap)}`
    : `${end} after ${durationText(overlap)}`;
};

export const describeRotation = ({ service, terms, why }: PlannedRotation): string =>
  `${why === 'split' ? 'its sinks may hold different keys since its last rotation was given up: ' : ''}a new key of ${service} is created, verified and delivered; the old key is ${describeEnd(terms)}`;

export const describeExpiry = ({ action }: PlannedExpiry, zone: string): string => {
  if (action.kind === 'warn') return `its owner is notified: ${action.stage}`;
  if (action.kind === 'delete') return 'it is deleted permanently';
  return 'at' in action ? `it expires at ${formatMoment(action.at, zone)}` : 'it expires at once';
};

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
  words: describeRotation(planned),
  age,
});

export const endedKey = (
  { planned, why, clock, passed, age }: ExpiryPlan['expiries'][number],
  zone: string,
): PlannedKey => ({
  name: planned.name,
  service: planned.service,
  facts: { kind: 'end', action: planned.action, clock, passed },
  words: `${describeExpiry(planned, zone)} (${why})`,
  age,
});

export const skippedRow = ({ name, service, reason, message, age, at }: SkippedKey): PlannedKey => ({
  name,
  service,
  facts: { kind: 'skip', reason, at },
  words: message,
  age,
});

/** `billing.g7 (60 days): MESSAGE`. */
export const keyLine = ({ name, age, words, facts }: PlannedKey): string =>
  `${facts.kind === 'skip' ? 'skip ' : ''}${name}${age === undefined ? '' : ` (${durationText(age)})`}: ${words}`;

/** A suffix for titles. */
export const skippedText = (skipped: number): string =>
  skipped === 0 ? '' : `, ${skipped.toLocaleString('en-US')} skipped`;
