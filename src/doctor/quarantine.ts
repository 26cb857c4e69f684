import { formatMoment } from '../core/index.ts';
import type { LearnedView } from './doctor-view.ts';
import type { Warehouse } from '../warehouse/index.ts';

type Quarantined = Awaited<ReturnType<Warehouse['logs']['quarantined']>>;

/** What a gateway wrote is told as far as a line can hold it. */
const longestReason = 200;

/** Rows that could not be read, and the last of them; nothing where there are none. */
export const quarantinePoint = (rows: Quarantined): LearnedView['points'] => {
  const last = rows.at(-1);
  if (last === undefined) return [];
  const window = `${formatMoment(last.window.start, 'UTC')} to ${formatMoment(last.window.end, 'UTC')}`;
  return [
    {
      point: 'log.quarantine',
      value: `${rows.length.toLocaleString('en-US')} row${rows.length === 1 ? '' : 's'} unreadable, not included in any total`,
      evidence: `the last at line ${last.line} of the export of ${window}: ${last.reason.slice(0, longestReason)}`,
      how: 'data',
      learnedAt: last.landedAt,
    },
  ];
};
