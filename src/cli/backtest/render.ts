import { countText } from '../../core/index.ts';
import type { BacktestView } from '../../app/index.ts';
import type { Screen } from '../ui/paint.ts';
import { tableLines } from '../ui/table.ts';

const names = { model: 'model', pace: 'pace of 14 days', 'last-week': 'last week' } as const;
const methods = ['model', 'pace', 'last-week'] as const;

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** How far forecasts of the end of a month would have been off, as a table, and what they are compared with. */
export const renderBacktest = (view: BacktestView, screen: Screen): string => {
  const { account, first, last, zone, accuracy, origins, skill, interval } = view;
  const months = new Set(origins.map(({ month }) => month)).size;
  if (first === undefined || months === 0)
    return `${account}: no whole month with a week of the call log before the forecast; pull more of it\n`;
  const rows = accuracy.map(({ day, methods: found }) => ({
    cells: [
      `day ${day}`,
      ...methods.flatMap((name) => {
        const one = found[name];
        return one === undefined ? ['–', ''] : [percent(one.mean), `at most ${percent(one.most)}`];
      }),
    ],
  }));
  const columns = [
    { title: 'FORECAST AFTER' },
    ...methods.flatMap((name) => [{ title: names[name].toUpperCase() }, { title: '', spare: 1 }]),
  ];
  const skills = (['pace', 'last-week'] as const).flatMap((name) => {
    const share = skill[name];
    if (share === undefined) return [];
    const size = percent(Math.abs(share));
    return [`${size} ${share >= 0 ? 'smaller' : 'larger'} than by the ${names[name]}`];
  });
  return [
    `${account}: the end of ${countText(months, 'month')}, forecast over the call log as it is now (${first} to ${last}, ${zone})`,
    'Errors by what the month came to:',
    ...tableLines(columns, rows, screen),
    ...(skills.length === 0 ? [] : [`The error of the model is ${skills.join(', and ')}.`]),
    interval === undefined
      ? 'No interval: it needs nine forecasts of three months.'
      : `${percent(interval.coverage)} of ${countText(interval.count, 'month end')} lie in the interval that is to have 80 % of them; its score is ${percent(interval.score)} of a month.`,
  ]
    .map((line) => `${line}\n`)
    .join('');
};
