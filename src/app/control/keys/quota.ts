import { fault, money, type Money } from '../../../core/index.ts';
import type { KeyFields, RotationTerms } from '../../../keys/index.ts';

/** An amount, or `unlimited`. @throws Fault `wrong-use` */
export const quotaOf = (quota: string): Pick<KeyFields, 'remainQuota' | 'unlimitedQuota'> => {
  if (quota === 'unlimited') return { remainQuota: money('0'), unlimitedQuota: true };
  const amount = ((): Money | undefined => {
    try {
      return money(quota);
    } catch {
      return undefined;
    }
  })();
  if (amount !== undefined && /[1-9]/.test(amount) && !amount.startsWith('-'))
    return { remainQuota: amount, unlimitedQuota: false };
  throw fault('wrong-use', `${JSON.stringify(quota)} is not a valid quota`, {
    advice: 'specify an amount in the unit of the gateway, such as 500, or unlimited',
  });
};

/** @throws Fault `wrong-use` */
export const withQuota = (terms: RotationTerms, quota: string | undefined): RotationTerms => {
  if (quota === undefined) return terms;
  const { remainQuota, unlimitedQuota } = quotaOf(quota);
  return { ...terms, quota: unlimitedQuota ? { kind: 'unlimited' } : { kind: 'fixed', amount: remainQuota } };
};
