import { wholeParameter } from '../request.ts';
import type { Model } from '../traffic/models.ts';

export type Range = { readonly start: number; readonly end: number };

/**
 * The half-open interval from start_timestamp to end_timestamp, in their unit. Missing or 0 means unbounded.
 * Undefined when one is not a whole number.
 */
export const askedRange = (
  query: URLSearchParams,
  /** Seconds or milliseconds by which the end is moved. */
  more: 0 | 1,
): Range | undefined => {
  const start = wholeParameter(query, 'start_timestamp') ?? 0;
  const end = wholeParameter(query, 'end_timestamp') ?? 0;
  if (Number.isNaN(start) || Number.isNaN(end)) return undefined;
  if (end === 0) return { start, end: Number.MAX_SAFE_INTEGER };
  return { start, end: end + more };
};

export const badRange = {
  en: 'start_timestamp and end_timestamp must be whole numbers',
  zh: '时间戳参数无效',
} as const;

/** Whether a model is asked for by model_name and vendor_id; undefined when vendor_id is not a whole number. */
export const askedModels = (query: URLSearchParams): ((model: Model | undefined) => boolean) | undefined => {
  const name = query.get('model_name') ?? '';
  const vendor = wholeParameter(query, 'vendor_id') ?? 0;
  if (Number.isNaN(vendor)) return undefined;
  return (model) => (name === '' || model?.name === name) && (vendor === 0 || model?.vendorId === vendor);
};

export const badVendor = { en: 'vendor_id must be a whole number', zh: 'vendor_id 参数无效' } as const;
