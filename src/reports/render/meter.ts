import { compareMoney, moneyAsShare, zero, type Money } from '../../core/index.ts';
import { escapeHtml, markup, trusted, type Html } from './markup.ts';
import { colour } from './styles.ts';

/** An amount beside a budget, and beyond the amount what is forecast. */
export type Meter = {
  readonly value: Money;
  /** The budget. */
  readonly of: Money;
  readonly forecast?: Money;
};

const forecastFill = { bad: '#e5a49d', good: '#9ad3b9' } as const;
const fill = { bad: colour.bad, good: colour.good } as const;

const highest = (amounts: readonly Money[]): Money =>
  amounts.reduce((most, amount) => (compareMoney(amount, most) > 0 ? amount : most), zero);

/** Where each part of the bar ends, in percent of its width, ascending. */
const partsOf = ({
  value,
  of,
  forecast,
}: Meter): readonly { readonly to: number; readonly of: 'value' | 'forecast' | 'rest' }[] => {
  const whole = highest([value, of, forecast ?? zero]);
  const at = (amount: Money): number => Math.round(Math.min(1, moneyAsShare(amount, whole)) * 100);
  const spent = compareMoney(value, zero) > 0 ? Math.max(1, at(value)) : 0;
  const expected = forecast === undefined ? spent : Math.max(spent, at(forecast));
  return [
    { to: spent, of: 'value' },
    { to: expected, of: 'forecast' },
    { to: 100, of: 'rest' },
  ];
};

/** Where the budget is, in percent of the width of the bar. */
const scaleOf = (meter: Meter): number => {
  const whole = highest([meter.value, meter.of, meter.forecast ?? zero]);
  return Math.round(Math.min(1, moneyAsShare(meter.of, whole)) * 100);
};

const shadeOf = ({ value, of }: Meter, tone: 'bad' | 'good'): 'bad' | 'good' =>
  tone === 'bad' || compareMoney(value, of) >= 0 ? 'bad' : 'good';

const cell = (width: number, ground: string, name: string): Html =>
  width <= 0
    ? markup``
    : markup`<td width="${width}%" height="10" bgcolor="${ground}"${trusted(name === '' ? '' : ` class="${name}"`)} style="width:${width}%;height:10px;font-size:0;line-height:0;background:${ground}">&nbsp;</td>`;

/** A bar of table cells, which every mail client shows, without images; a line below it ends at the budget. */
export const meterHtml = (meter: Meter, tone: 'bad' | 'good', label: string): Html => {
  const shade = shadeOf(meter, tone);
  const grounds = { value: fill[shade], forecast: forecastFill[shade], rest: colour.line } as const;
  let from = 0;
  const cells = partsOf(meter).map(({ to, of }) => {
    const width = to - from;
    from = Math.max(from, to);
    return cell(width, grounds[of], of === 'rest' ? 'tr' : '');
  });
  const scale = scaleOf(meter);
  const limit = markup`<td class="sf" width="${scale}%" align="right" style="width:${scale}%;border-right:2px solid ${colour.soft};padding:2px 4px 0 0;font-size:11px;line-height:14px;color:${colour.soft}">${label}</td>${scale < 100 ? markup`<td width="${100 - scale}%" style="width:${100 - scale}%">&nbsp;</td>` : undefined}`;
  const layout = trusted('role="presentation" width="100%" cellpadding="0" cellspacing="0"');
  return markup`<table ${layout} style="margin:0 0 10px"><tr><td><table ${layout}><tr>${cells}</tr></table><table ${layout}><tr>${limit}</tr></table></td></tr></table>`;
};

/** The same bar as a picture that stretches to the width of its place; a line marks the budget. */
export const meterSvg = (meter: Meter, tone: 'bad' | 'good', label: string): string => {
  const shade = shadeOf(meter, tone);
  const grounds = { value: fill[shade], forecast: forecastFill[shade] } as const;
  let from = 0;
  const bars = partsOf(meter).map(({ to, of }) => {
    const bar =
      of === 'rest' || to <= from
        ? ''
        : `<rect x="${from}" y="1" width="${to - from}" height="8" fill="${grounds[of]}"/>`;
    from = Math.max(from, to);
    return bar;
  });
  const limit = Math.min(99, scaleOf(meter));
  return `<svg class="meter" role="img" aria-label="${escapeHtml(label)}" viewBox="0 0 100 10" preserveAspectRatio="none" width="100%" height="10"><rect class="track" x="0" y="1" width="100" height="8"/>${bars.join('')}<rect class="limit" x="${limit}" y="0" width="0.7" height="10"/></svg>`;
};
