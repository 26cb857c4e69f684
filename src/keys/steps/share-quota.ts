import { compareMoney } from '../../core/index.ts';
import { halfOf, lowered, writeRemain } from './quota.ts';
import type { OfOld, Step } from './step.ts';

/** Deducts the successor's quota from the old key, but leaves it at least half of its remainder, or its calls would fail. */
export const shareQuota: Step<OfOld> = {
  name: 'share-quota',
  due: ({ rotation: { terms, old: replaced, quota }, old, view }) =>
    terms.quota.kind === 'split' &&
    replaced?.keyId === old.keyId &&
    old.remain !== undefined &&
    old.state === 'working' &&
    view.isListed(old.keyId) &&
    !quota.some((change) => change.keyId === old.keyId && change.done),
  run: ({ cycle }, { rotation, attempt, old }) =>
    writeRemain(cycle, rotation, old, (remain) => {
      const [rest, half] = [lowered(remain, attempt.spec.remainQuota), halfOf(remain)];
      return compareMoney(rest, half) > 0 ? rest : half;
    }),
};
