import { listText } from '../../core/index.ts';
import type { UnknownAlerts } from '../../daemon/index.ts';
import { lines } from './lines.ts';
import type { Screen } from './paint.ts';
import { clip, oneLine } from './text.ts';

/** Keeps the line readable; `--json` has all names. */
const maxNames = 8;

const maxColumns = 40;

/** What is unknown, as one line, and the next step; `accounts`: whether the name of the account precedes each alert. */
export const unknownLines = (
  { alerts, reason, hint }: UnknownAlerts,
  accounts: boolean,
  screen: Screen,
): readonly string[] => {
  const names = alerts.map(({ account, alert }) =>
    clip(oneLine(accounts ? `${account}/${alert}` : alert), maxColumns),
  );
  const subject = alerts.length === 1 ? '1 alert is' : `${alerts.length} alerts are`;
  return [
    ...lines(`${subject} unknown because ${reason}: ${listText(names, maxNames)}`, 0, screen, 'warn'),
    ...(hint === undefined ? [] : lines(`what to do: ${hint}`, 2, screen)),
  ];
};
