import { compareMoney, divideMoney, money, roundMoney, zero, type Money } from '../../core/index.ts';
import type { ApiKey } from '../../gateway/index.ts';
import type { LearnedPoint } from '../../warehouse/index.ts';
import { updatePoints } from './knowledge.ts';
import { probeStep, type ProbeDeps } from './probe-step.ts';
import { quotaUnitText, showsUnits, type QuotaUnit } from './quota-unit.ts';

export type QuotaSample = { readonly written: Money; readonly read: Money };

const one = money('1');

/** The unit that explains every sample; undefined if none does. */
export const unitOf = (samples: readonly QuotaSample[]): QuotaUnit | undefined => {
  const last = samples.at(-1);
  if (last === undefined || compareMoney(last.read, zero) <= 0) return undefined;
  if (samples.every(({ written, read }) => compareMoney(written, read) === 0)) return { kind: 'currency' };
  const ratio = divideMoney(last.written, last.read, 12) ?? zero;
  const perCurrency = money(roundMoney(ratio, 0));
  const fits = samples.every(({ written, read }) => showsUnits(written, read, perCurrency));
  return fits && compareMoney(perCurrency, one) > 0 ? { kind: 'units', perCurrency } : undefined;
};

/** The number to write after 1 did not read as 1: just large enough for the four decimals of the answer to determine a factor of 500,000 exactly. */
const nextNumber = (read: Money): Money => money(compareMoney(read, zero) > 0 ? '1000000' : '100000000');

export const probeUnit = async (
  made: ApiKey,
  deps: ProbeDeps,
): Promise<{ readonly point: LearnedPoint; readonly key: ApiKey; readonly follows: boolean }> => {
  const samples: QuotaSample[] = [{ written: one, read: made.remainQuota }];
  let key = made;
  let problem = '';
  if (unitOf(samples) === undefined) {
    const written = nextNumber(made.remainQuota);
    const { name, unlimitedQuota, expiredTime, group, id } = made;
    const step = await probeStep(
      {
        id,
        name,
        unlimitedQuota,
        expiredTime,
        ...(group === undefined ? {} : { group }),
        remainQuota: written,
      },
      ({ remainQuota }) => remainQuota !== made.remainQuota,
      deps,
    );
    key = step.key;
    if (step.state === 'done') samples.push({ written, read: key.remainQuota });
    else
      problem = `; ${written} was ${step.state === 'refused' ? `refused (${step.message})` : 'written and never seen'}`;
  }
  const unit = unitOf(samples);
  const shown = samples.map(({ written, read }) => `${written} read as ${read}`).join(', ');
  return {
    key,
    // A quota that does not follow the written value proves nothing about updates either.
    follows: (unit !== undefined || samples.length > 1) && compareMoney(key.remainQuota, zero) > 0,
    point: {
      point: updatePoints.unit,
      value: unit === undefined ? 'open: neither currency nor whole units' : quotaUnitText(unit),
      evidence: `on a temporary key a remain_quota of ${shown}${problem}`,
      how: 'probe',
    },
  };
};
