import { formatMoment } from '../../core/index.ts';
import { durationText, type SkippedKey, type PlannedExpiry, type PlannedRotation } from '../../keys/index.ts';
import type { PlannedKey } from './plan-mail.ts';

const ageText = (age: number | undefined): { readonly age?: string | undefined } =>
  age === undefined ? {} : { age: durationText(age) };

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
  skipped: false,
  message: describeRotation(planned),
  ...ageText(age),
});

export const endedKey = (
  {
    planned,
    why,
    age,
  }: { readonly planned: PlannedExpiry; readonly why: string; readonly age?: number | undefined },
  zone: string,
): PlannedKey => ({
  name: planned.name,
  service: planned.service,
  skipped: false,
  message: `${describeExpiry(planned, zone)} (${why})`,
  ...ageText(age),
});

export const skippedRow = ({ name, service, message, age }: SkippedKey): PlannedKey => ({
  name,
  service,
  skipped: true,
  message,
  ...ageText(age),
});

/** `billing.g7 (60 days): MESSAGE`. */
export const keyLine = ({ name, age, message, skipped }: PlannedKey): string =>
  `${skipped ? 'skip ' : ''}${name}${age === undefined ? '' : ` (${age})`}: ${message}`;

/** A suffix for titles. */
export const skippedText = (skipped: number): string =>
  skipped === 0 ? '' : `, ${skipped.toLocaleString('en-US')} skipped`;
