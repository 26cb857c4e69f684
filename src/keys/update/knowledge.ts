import type { LearnedPoint } from '../../warehouse/index.ts';
import { parseQuotaUnit } from './quota-unit.ts';
import type { QuotaUnit } from './quota-unit.ts';

/** The fields of a key that an update may leave out, as the gateway names them (gateway-api.md, PUT /api/token/). */
export const updateFields = ['name', 'remain_quota', 'unlimited_quota', 'expired_time', 'group'] as const;
export type UpdateField = (typeof updateFields)[number];

/** What was learned of a gateway's updates of keys; nothing is assumed that a throw-away key has not shown. */
export type UpdateKnowledge = {
  /** Fields that keep their values when they are left out. */
  readonly kept: ReadonlySet<UpdateField>;
  /** Missing until it is learned. */
  readonly unit?: QuotaUnit;
};

export const nothingKnown: UpdateKnowledge = { kept: new Set() };

export const updatePoints = {
  omits: 'key.update_omits',
  unit: 'key.quota_unit',
  zeroExpiry: 'key.zero_expiry',
} as const;

const mixedWords = 'mixed: keeps ';

/** `keep`, `replace`, or `mixed: keeps name, expired_time`. */
export const omitsText = (kept: ReadonlySet<UpdateField>): string => {
  const names = updateFields.filter((field) => kept.has(field));
  if (names.length === 0) return 'replace';
  return names.length === updateFields.length ? 'keep' : `${mixedWords}${names.join(', ')}`;
};

const keptOf = (text: string): ReadonlySet<UpdateField> => {
  if (text === 'keep') return new Set(updateFields);
  if (!text.startsWith(mixedWords)) return new Set();
  const names = text.slice(mixedWords.length).split(', ');
  return new Set(updateFields.filter((field) => names.includes(field)));
};

/** Only what a probe has shown counts. */
export const updateKnowledge = (points: readonly LearnedPoint[]): UpdateKnowledge => {
  const valueOf = (wanted: string): string | undefined =>
    points.find(({ point, how }) => point === wanted && how === 'probe')?.value;
  const unit = parseQuotaUnit(valueOf(updatePoints.unit) ?? '');
  return {
    kept: keptOf(valueOf(updatePoints.omits) ?? ''),
    ...(unit === undefined ? {} : { unit }),
  };
};

/** Whether a probe has still to be run before keys are written. */
export const needsProbe = ({ unit }: UpdateKnowledge): boolean => unit === undefined;
