import type { Interval, UnixSeconds } from '../base/index.ts';
import type { DataState } from './model.ts';

/** How far the data reaches: complete in `[dataSince, dataThrough)`; without `dataThrough` nothing has been pulled. */
export type Reach = { readonly dataThrough?: UnixSeconds; readonly dataSince?: UnixSeconds };

/** Whether the data covers a span. */
export const coverageOf = (span: Interval<UnixSeconds>, reach: Reach): DataState => {
  const { dataThrough, dataSince } = reach;
  if (dataThrough === undefined || dataThrough <= span.start) return 'missing';
  if (dataSince !== undefined && dataSince >= span.end) return 'missing';
  return dataThrough >= span.end && (dataSince === undefined || dataSince <= span.start)
    ? 'complete'
    : 'partial';
};
