import type { StatusView } from '../../daemon/index.ts';
import { lines } from '../ui/lines.ts';
import { localMoment } from '../ui/moment.ts';
import type { Screen } from '../ui/paint.ts';

/** Time ranges in which an account's log disagrees with a source, newest first; times in the time zone of the status. */
export const gapLines = ({ data }: StatusView, screen: Screen): readonly string[] => {
  if (data === undefined) return [];
  const { zone } = data;
  const open = data.accounts.flatMap(({ account, gaps }) =>
    gaps.filter(({ state }) => state === 'open').map((gap) => ({ account, ...gap })),
  );
  if (open.length === 0) return [];
  const more = data.accounts.reduce((sum, { moreGaps }) => sum + moreGaps, 0);
  return [
    '',
    ...lines('data that does not reconcile:', 0, screen, 'warn'),
    ...open.flatMap(({ account, range, text }) => [
      ...lines(
        `${account}, ${localMoment(range.start, zone)} to ${localMoment(range.end, zone)} ${zone}`,
        2,
        screen,
      ),
      ...lines(text, 4, screen),
    ]),
    ...(more === 0 ? [] : lines(`and ${more} older`, 2, screen)),
    ...lines(
      'what to do: `tollkeeper reconcile --from DAY --to DAY` compares the days with every source again',
      2,
      screen,
    ),
  ];
};
