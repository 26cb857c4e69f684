import {
  addMoney,
  compareMoney,
  money,
  moneyAsShare,
  multiplyMoney,
  subtractMoney,
  zero,
  type Money,
} from '../../core/index.ts';

/** The minimum, the maximum and the round steps of an axis; exact, so that labels are. */
export type Scale = { readonly ticks: readonly Money[]; readonly low: Money; readonly high: Money };

const mantissas = ['1', '2', '2.5', '5', '10'].map(money);

/** The smallest round step with at most `most` steps in the range. */
const stepFor = (range: Money, most: number): Money => {
  const size = range.startsWith('0.')
    ? -(/^0\.(0*)/.exec(range)?.[1]?.length ?? 0) - 1
    : (range.split('.')[0]?.length ?? 1);
  for (let exponent = size - 3; ; exponent += 1) {
    const unit = money(`1e${exponent}`);
    const step = mantissas
      .map((mantissa) => multiplyMoney(mantissa, unit))
      .find((candidate) => compareMoney(multiplyMoney(candidate, money(String(most))), range) >= 0);
    if (step !== undefined) return step;
  }
};

/** An axis that includes all values and zero. */
export const scaleOf = (values: readonly Money[]): Scale => {
  const high = values.reduce((most, value) => (compareMoney(value, most) > 0 ? value : most), zero);
  const low = values.reduce((least, value) => (compareMoney(value, least) < 0 ? value : least), zero);
  const range = subtractMoney(high, low);
  if (compareMoney(range, zero) === 0) return { ticks: [zero], low: zero, high: money('1') };
  const step = stepFor(range, 4);
  const ticks: Money[] = [zero];
  while (compareMoney(ticks.at(-1) ?? zero, high) < 0) ticks.push(addMoney(ticks.at(-1) ?? zero, step));
  // Below zero only as far as the values: a small refund must not take a quarter of the chart.
  for (let tick = subtractMoney(zero, step); compareMoney(tick, low) >= 0; tick = subtractMoney(tick, step))
    ticks.unshift(tick);
  return { ticks, low, high: ticks.at(-1) ?? zero };
};

/** The position of a value on the axis: 0 at `low`, 1 at `high`. Pixels only. */
export const placeOn = (scale: Scale, value: Money): number =>
  moneyAsShare(subtractMoney(value, scale.low), subtractMoney(scale.high, scale.low));
