import { unixMillis } from '../../core/index.ts';
import { alertBlocks, type AlertLogEntry, type ExpectedEntry, type AlertView } from '../../app/index.ts';
import { blocksText } from '../ui/blocks.ts';
import { localMoment } from '../ui/moment.ts';
import type { Screen } from '../ui/paint.ts';
import { tableLines } from '../ui/table.ts';
import { oneLine } from '../ui/text.ts';

export const renderAlerts = (views: readonly AlertView[], screen: Screen): string => {
  if (views.length === 0)
    return 'no budgets are declared, and nothing was evaluated\n\nDeclare budgets in tollkeeper.yaml, and a job of kind alert in a file in jobs/.\n';
  const look = { ...screen, now: unixMillis(0), zone: views[0]?.zone ?? 'UTC' };
  return `${blocksText(alertBlocks(views), look).join('\n')}\n`;
};

export const renderExpected = (entries: readonly ExpectedEntry[], screen: Screen): string => {
  if (entries.length === 0) return 'no days are expected to be unusual\n';
  const lines = tableLines(
    [{ title: 'FIRST DAY' }, { title: 'LAST DAY' }, { title: 'ACCOUNT' }, { title: 'BY' }],
    entries.map(({ first, last, account, by, reason }) => ({
      cells: [first, last, oneLine(account), oneLine(by)],
      note: oneLine(reason),
    })),
    screen,
  );
  return `${lines.join('\n')}\n`;
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
