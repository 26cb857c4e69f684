import { countText, rangeText, type Money, type UnixSeconds } from '../../core/index.ts';
import type { PlannedWindow, PullSummary } from '../../ingest/index.ts';
import type { AccountAmounts } from '../../warehouse/index.ts';
import type { LatePulls } from './pull-late.ts';
import type { SearchedGaps } from './search-gaps.ts';

export const watermarkText = (watermark: UnixSeconds | undefined, zone: string): string =>
  watermark === undefined ? 'nothing is landed yet' : `data now reaches ${rangeText.moment(watermark, zone)}`;

export const quarantineText = ({ quarantined }: PullSummary): string =>
  quarantined === 0
    ? ''
    : `; ${countText(quarantined, 'row')} could not be read and ${quarantined === 1 ? 'is' : 'are'} in quarantine, excluded from all sums`;

/** The sum in the unit in which it is stored. */
export const amountText = (quota: Money, amounts: AccountAmounts | undefined): string => {
  if (amounts?.form === 'currency') return `${amounts.currency} ${quota}`;
  return amounts?.form === 'units'
    ? `${quota} integer units`
    : `amounts add up to ${quota}, whether in currency or in integer units is not proven`;
};

export const againText = ({ revisited, restated }: PullSummary): string => {
  const changed = restated === 0 ? 'nothing has changed' : `${countText(restated, 'quarter hour')} changed`;
  if (revisited > 0) return `; ${countText(revisited, 'window')} of closed days pulled again, ${changed}`;
  return restated > 0 ? `; ${changed}` : '';
};

export const searchText = ({ exports, left, unexplained }: SearchedGaps): string => {
  const again = exports === 0 ? '' : `; ${countText(exports, 'export')} requested again for missing rows`;
  const short =
    unexplained.length === 0
      ? ''
      : `, ${countText(unexplained.length, 'window')} ${unexplained.length === 1 ? 'stays' : 'stay'} short in smaller windows too`;
  const open = left === 0 ? '' : '; the search for missing rows continues with the next run';
  return `${again}${short}${open}`;
};

export const lateText = ({ ranges, left }: LatePulls): string => {
  const again =
    ranges.length === 0 ? '' : `; ${countText(ranges.length, 'window')} pulled again for late rows`;
  return left === 0
    ? again
    : `${again}; ${countText(left, 'window')} ${left === 1 ? 'lags' : 'lag'} behind the gateway`;
};

export const capText = (rowCap: number | undefined): string =>
  rowCap === undefined ? '' : `; export capped at ${rowCap} rows; pulled in smaller windows`;

export const leftText = (pulled: PullSummary): string =>
  pulled.secondsLeft === 0 ? '' : '; max_requests is used up, the next run continues';

export const planLine = ({ window, why }: PlannedWindow, zone: string): string => {
  const of = rangeText.seconds(window, zone);
  if (why === 'revisit') return `pull call logs again ${of}, for late rows and refunds`;
  return `pull call logs ${why === 'requested' ? 'again ' : ''}${of}`;
};
