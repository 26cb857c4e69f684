import type { Interval, UnixSeconds } from '../../core/index.ts';
import type { DataState } from './model.ts';

/** The watermark: data is complete in `[dataSince, dataThrough)`; without `dataThrough` nothing has been pulled. */
export type Watermark = { readonly dataThrough?: UnixSeconds; readonly dataSince?: UnixSeconds };

/** Whether the data covers a range. */
export const coverageOf = (range: Interval<UnixSeconds>, watermark: Watermark): DataState => {
  const { dataThrough, dataSince } = watermark;
  if (dataThrough === undefined || dataThrough <= range.start) return 'missing';
  if (dataSince !== undefined && dataSince >= range.end) return 'missing';
  return dataThrough >= range.end && (dataSince === undefined || dataSince <= range.start)
    ? 'complete'
    : 'partial';
};
