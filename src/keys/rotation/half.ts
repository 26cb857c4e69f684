import { divideMoney, money, zero, type Money } from '../../core/index.ts';

/** Half of the amount, rounded down to the four fraction digits that answers show (docs/gateway.md G8.10). */
export const halfOf = (amount: Money): Money => {
  const half = divideMoney(amount, money('2'), 5) ?? zero;
  const [whole = '0', fraction = ''] = half.split('.');
  return money(`${whole}.${fraction.slice(0, 4) || '0'}`);
};
