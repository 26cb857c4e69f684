import { divideMoney, money, zero, type Money } from '../../core/index.ts';

/** Half, down to what answers can show (docs/gateway.md G8.10: four fraction digits). */
export const halfOf = (amount: Money): Money => {
  const half = divideMoney(amount, money('2'), 5) ?? zero;
  const [whole = '0', fraction = ''] = half.split('.');
  return money(`${whole}.${fraction.slice(0, 4) || '0'}`);
};
