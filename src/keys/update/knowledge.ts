import { fault } from '../../core/index.ts';
import type { LearnedPoint } from '../../warehouse/index.ts';
import { parseQuotaUnit, type QuotaUnit } from './quota-unit.ts';

/** The fields that an update may omit, as the gateway names them (docs/gateway.md G8.12). */
export const updateFields = ['name', 'remain_quota', 'unlimited_quota', 'expired_time', 'group'] as const;
export type UpdateField = (typeof updateFields)[number];

/** What is known about key updates at a gateway; only a temporary key proves it. */
export type UpdateKnowledge = {
  readonly kept: ReadonlySet<UpdateField>;
  /** Undefined until a temporary key shows it. */
  readonly unit?: QuotaUnit;
  /** A temporary key was used to learn the unit, and nothing has contradicted it since. */
  readonly probed: boolean;
};

export const nothingKnown: UpdateKnowledge = { kept: new Set(), probed: false };

export const updatePoints = {
  omits: 'key.update_omits',
  unit: 'key.quota_unit',
  zeroExpiry: 'key.zero_expiry',
} as const;

const mixedMessage = 'mixed: keeps ';

/** `keep`, `replace`, or `mixed: keeps name, expired_time`. */
export const omitsText = (kept: ReadonlySet<UpdateField>): string => {
  const names = updateFields.filter((field) => kept.has(field));
  if (names.length === 0) return 'replace';
  return names.length === updateFields.length ? 'keep' : `${mixedMessage}${names.join(', ')}`;
};

const keptOf = (text: string): ReadonlySet<UpdateField> => {
  if (text === 'keep') return new Set(updateFields);
  if (!text.startsWith(mixedMessage)) return new Set();
  const names = text.slice(mixedMessage.length).split(', ');
  return new Set(updateFields.filter((field) => names.includes(field)));
};

/** Only observations of a probe count. */
export const updateKnowledge = (points: readonly LearnedPoint[]): UpdateKnowledge => {
  const valueOf = (wanted: string): string | undefined =>
    points.find(({ point, how }) => point === wanted && how === 'probe')?.value;
  const recorded = valueOf(updatePoints.unit);
  const unit = parseQuotaUnit(recorded ?? '');
  return {
    kept: keptOf(valueOf(updatePoints.omits) ?? ''),
    probed: recorded !== undefined,
    ...(unit === undefined ? {} : { unit }),
  };
};

/** Whether a probe must run before keys are written; a probe that left the unit open is not repeated automatically. */
export const needsProbe = ({ probed }: UpdateKnowledge): boolean => !probed;

/** The unit of written amounts. @throws Fault key-unit-unknown, because no amount may be guessed */
export const knownUnit = ({ unit }: UpdateKnowledge, what: string): QuotaUnit => {
  if (unit !== undefined) return unit;
  throw fault(
    'key-unit-unknown',
    `${what} cannot be written: the unit of remain_quota at this gateway is not known`,
  );
};

/** The observations that a harmful update refutes; recording them makes a new probe due. */
export const distrusted = (
  { kept }: UpdateKnowledge,
  harm: { readonly keyId: number; readonly fields: readonly string[]; readonly sent: readonly string[] },
): readonly LearnedPoint[] => {
  const evidence = `an update of the key ${harm.keyId} with ${harm.sent.join(', ')} also changed ${harm.fields.join(', ')}`;
  const leftOut = updateFields.some((field) => kept.has(field) && !harm.sent.includes(field));
  const quotaSent = harm.fields.includes('remain_quota') && harm.sent.includes('remain_quota');
  return [
    ...(leftOut ? [{ point: updatePoints.omits, value: 'replace', evidence, how: 'data' as const }] : []),
    ...(leftOut || quotaSent
      ? [
          {
            point: updatePoints.unit,
            value: 'open: it is to be learned again',
            evidence,
            how: 'data' as const,
          },
        ]
      : []),
  ];
};
