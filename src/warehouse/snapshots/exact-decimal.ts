import { fault, money, multiplyMoney, type Money } from '../../core/index.ts';

const scale = money('1e18');
const limit = 10n ** 38n;

/** The SQL type of stored amounts of snapshots. */
export const amountType = 'DECIMAL(38, 18)';

/** The amount, checked to fit `amountType` with all digits: the engine's cast would round it. @throws fault */
export const exactDecimal = (amount: Money, what: string): Money => {
  const scaled = multiplyMoney(amount, scale);
  if (scaled.includes('.'))
    throw fault('export-amount-inexact', `${what} is ${amount}, which has more than 18 decimals`, {
      advice: 'nothing of this snapshot was stored; report the gateway’s response',
    });
  const digits = BigInt(scaled);
  if (digits >= limit || digits <= -limit)
    throw fault('gateway-answer-unreadable', `${what} is ${amount} and exceeds the range of the warehouse`);
  return amount;
};
