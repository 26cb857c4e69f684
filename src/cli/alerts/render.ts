import {
  divideMoney,
  formatMoment,
  money,
  multiplyMoney,
  roundMoney,
  unixSeconds,
  type Money,
} from '../../core/index.ts';
import { collectUnknown, type AlertLogEntry, type AlertView } from '../../daemon/index.ts';
import { localMoment } from '../ui/moment.ts';
import type { Screen, Style } from '../ui/paint.ts';
import { tableLines, type Cell, type Row } from '../ui/table.ts';
import { unknownLines } from '../ui/unknown-alerts.ts';
import { clip, oneLine } from '../ui/text.ts';

type Budget = Extract<NonNullable<AlertView['status']>, { kind: 'budget' }>;

const percentOf = (part: Money, whole: Money): string => {
  const share = divideMoney(multiplyMoney(part, money('100')), whole, 4);
  return share === undefined ? '-' : `${roundMoney(share, 0)}%`;
};

const barWidth = 10;

/** `████▌·····`: one character per tenth of the budget. */
const barOf = (spend: Money | undefined, amount: Money): string => {
  const share = spend === undefined ? undefined : divideMoney(spend, amount, 4);
  if (share === undefined) return '-';
  const filled = Math.max(0, Math.min(barWidth, Math.round(Number(share) * barWidth)));
  return `${'█'.repeat(filled)}${'·'.repeat(barWidth - filled)}`;
};

const styles: { readonly [State in AlertView['state']]: Style } = {
  ok: 'good',
  exceeded: 'bad',
  low: 'bad',
  forecast: 'warn',
  unknown: 'warn',
  'not-evaluated': 'quiet',
};

const stateOf = ({ state }: AlertView): Cell => ({ text: state.replace('-', ' '), style: styles[state] });

const notesOf = (view: AlertView): readonly Cell[] => {
  const { mute, acknowledged, texts, zone } = view;
  const { reason, hint, spend } = texts;
  return [
    ...(reason === undefined ? [] : [{ text: reason, style: 'warn' as const }]),
    ...(hint === undefined || spend !== undefined ? [] : [`what to do: ${hint}`]),
    ...(mute === undefined
      ? []
      : [
          {
            text: `muted until ${localMoment(mute.until, zone)} by ${mute.by}${mute.reason === undefined ? '' : `: ${mute.reason}`}`,
            style: 'quiet' as const,
          },
        ]),
    ...(acknowledged === undefined
      ? []
      : [
          {
            text: `acknowledged by ${acknowledged.by}${acknowledged.reason === undefined ? '' : `: ${acknowledged.reason}`}`,
            style: 'quiet' as const,
          },
        ]),
  ];
};

const figuresOf = (status: Budget, texts: AlertView['texts']): readonly string[] => [
  texts.spend === undefined ? 'unknown' : `${status.reason === undefined ? '' : '≥ '}${texts.spend}`,
  texts.amount ?? '-',
  status.spend === undefined ? '-' : percentOf(status.spend, status.amount),
  barOf(status.spend, status.amount),
  `${texts.forecast ?? '-'}${texts.forecastRange === undefined ? '' : ` (${texts.forecastRange})`}`,
  formatMoment(unixSeconds(status.end), status.zone).slice(0, 'YYYY-MM-DD'.length),
];

const budgetRow = (view: AlertView, status: Budget | undefined, accounts: boolean): Row => ({
  cells: [
    clip(oneLine(accounts ? `${view.account}/${view.alert}` : view.alert), 32),
    stateOf(view),
    ...(status === undefined ? ['-', '-', '-', '-', '-', '-'] : figuresOf(status, view.texts)),
  ],
  below: notesOf(view),
});

export const renderAlerts = (views: readonly AlertView[], screen: Screen): string => {
  if (views.length === 0)
    return 'no budgets are declared, and nothing was evaluated\n\nDeclare budgets in tollkeeper.yaml, and a job of kind alert in a file in jobs/.\n';
  const accounts = new Set(views.map(({ account }) => account)).size > 1;
  const { collected, alone } = collectUnknown(views);
  const budgets = alone.filter(
    ({ status, alert }) => status?.kind === 'budget' || (status === undefined && !alert.startsWith('data')),
  );
  const others = alone.filter(({ status }) => status !== undefined && status.kind !== 'budget');
  const blocks = [
    ...(budgets.length === 0
      ? []
      : [
          tableLines(
            [
              { title: 'BUDGET' },
              { title: 'STATE' },
              { title: 'SPEND' },
              { title: 'OF' },
              { title: 'USED' },
              { title: '', spare: 3 },
              { title: 'FORECAST', spare: 2 },
              { title: 'ENDS', spare: 1 },
            ],
            budgets.map((view) =>
              budgetRow(view, view.status?.kind === 'budget' ? view.status : undefined, accounts),
            ),
            screen,
          ),
        ]),
    ...(others.length === 0
      ? []
      : [
          tableLines(
            [{ title: 'BALANCE OR QUOTA' }, { title: 'STATE' }, { title: 'LASTS' }],
            others.map((view) => ({
              cells: [
                clip(oneLine(accounts ? `${view.account}/${view.alert}` : view.alert), 32),
                stateOf(view),
                view.texts.lasts ?? '-',
              ],
              below: notesOf(view),
            })),
            screen,
          ),
        ]),
    ...collected.map((one) => unknownLines(one, accounts, screen)),
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
};

export const renderLog = (entries: readonly AlertLogEntry[], screen: Screen): string => {
  if (entries.length === 0) return 'no alert was raised, muted or acknowledged\n';
  const lines = tableLines(
    [{ title: 'WHEN (UTC)' }, { title: 'WHO' }, { title: 'ACTION' }, { title: 'ALERT' }],
    entries.map(({ at, by, action, subject, account, detail }) => ({
      cells: [
        localMoment(at, 'UTC'),
        by === '' ? '-' : oneLine(by),
        action,
        oneLine(`${account}/${subject}`),
      ],
      ...(detail === '' ? {} : { note: oneLine(detail) }),
    })),
    screen,
  );
  return `${lines.join('\n')}\n`;
};
