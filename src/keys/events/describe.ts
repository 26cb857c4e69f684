import { countText, formatMoment } from '../../core/index.ts';
import type { KeyUse } from '../model/event-fields.ts';

export const shortHash = (hash: string): string => `SHA-256 ${hash.slice(0, 12)}…`;

/** `12 calls, last 2026-11-21 08:00 UTC, gpt-4o 12, 0.5 spent`. */
export const describeUse = ({ calls, lastCall, spend, models }: KeyUse, zone: string): string =>
  [
    countText(calls, 'call'),
    ...(lastCall === undefined ? [] : [`last ${formatMoment(lastCall, zone)}`]),
    ...models.slice(0, 3).map((one) => `${one.model} ${one.calls.toLocaleString('en-US')}`),
    ...(models.length > 3 ? [countText(models.length - 3, 'more model')] : []),
    ...(spend === undefined ? [] : [`${spend} spent`]),
  ].join(', ');
