import { z } from 'zod';
import type { UnixSeconds } from '../base/index.ts';
import { unknownFields } from './json.ts';
import { decimal, optional } from './scalars.ts';

const named = { quota: decimal, rpm: optional(decimal), tpm: optional(decimal), mpm: optional(decimal) };

/** gateway-api.md, Call statistics: the amount spent over the range asked for, in a unit that is not told, and throughput figures. */
export const callStatistics = z.looseObject(named).transform(({ quota, rpm, tpm, mpm, ...others }) => ({
  quota,
  rpm,
  tpm,
  mpm,
  rest: unknownFields(others, Object.keys(named)),
}));

export type CallStatistics = Readonly<z.output<typeof callStatistics>>;

export type StatisticsQuery = {
  /** Whether the gateway counts a call at either end is not told. */
  readonly start: UnixSeconds;
  readonly end: UnixSeconds;
  readonly modelName?: string;
  /** Name of a key; exact in one gateway, "contains" in another. */
  readonly tokenName?: string;
  readonly vendorId?: number;
};
