import { divideMoney } from '../../core/index.ts';
import { collectUnknown, type AlertLogEntry, type AlertView } from '../../daemon/index.ts';
import { localMoment } from '../ui/moment.ts';
import type { Screen } from '../ui/paint.ts';
import { tableLines, type Cell } from '../ui/table.ts';
import { unknownLines } from '../ui/unknown-alerts.ts';
import { clip, oneLine } from '../ui/text.ts';

type Meter = NonNullable<AlertView['cells'][number]['meter']>;

const barWidth = 10;

/** `████▌·····`: one character per tenth of the budget. */
const barOf = (meter: Meter | undefined): string => {
  const share = meter?.value === undefined ? undefined : divideMoney(meter.value, meter.of, 4);
  if (share === undefined) return '-';
  const filled = Math.max(0, Math.min(barWidth, Math.round(Number(share) * barWidth)));
  return `${'█'.repeat(filled)}${'·'.repeat(barWidth - filled)}`;
};

const stateOf = ({ state, tone }: AlertView): Cell => ({ text: state.replace('-', ' '), style: tone });

const notesOf = (view: AlertView): readonly Cell[] => {
  const { mute, acknowledged, texts, zone } = view;
  const { reason, hint } = texts;
  return [
    ...(reason === undefined ? [] : [{ text: reason, style: 'warn' as const }]),
    ...(hint === undefined || texts['spend'] !== undefined ? [] : [`what to do: ${hint}`]),
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

/** The alerts of one kind, whose cells are alike. */
const tableOf = (title: string, views: readonly AlertView[], accounts: boolean, screen: Screen) => {
  const cells = views[0]?.cells ?? [];
  const hasMeter = cells.map((_, at) => views.some((view) => view.cells[at]?.meter !== undefined));
  return tableLines(
    [
      { title: title.toUpperCase() },
      { title: 'STATE' },
      ...cells.flatMap(({ title: name, of, spare }, at) => [
        { title: name.toUpperCase(), ...(spare === undefined ? {} : { spare }) },
        ...(of === undefined ? [] : [{ title: 'OF' }]),
        ...(hasMeter[at] === true ? [{ title: '', spare: 3 }] : []),
      ]),
    ],
    views.map((view) => ({
      cells: [
        clip(oneLine(accounts ? `${view.account}/${view.alert}` : view.alert), 32),
        stateOf(view),
        ...view.cells.flatMap(({ text = '-', of, meter }, at) => [
          text,
          ...(of === undefined ? [] : [of]),
          ...(hasMeter[at] === true ? [barOf(meter)] : []),
        ]),
      ],
      below: notesOf(view),
    })),
    screen,
  );
};

export const renderAlerts = (views: readonly AlertView[], screen: Screen): string => {
  if (views.length === 0)
    return 'no budgets are declared, and nothing was evaluated\n\nDeclare budgets in tollkeeper.yaml, and a job of kind alert in a file in jobs/.\n';
  const accounts = new Set(views.map(({ account }) => account)).size > 1;
  const { collected, alone } = collectUnknown(views);
  const titles = new Set(alone.flatMap(({ title }) => title ?? []));
  const blocks = [
    ...[...titles].map((title) =>
      tableOf(
        title,
        alone.filter((view) => view.title === title),
        accounts,
        screen,
      ),
    ),
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
