import type { UnixSeconds } from '../core/index.ts';
import type { ApiKey } from '../gateway/index.ts';

/** When the gateway made a key; nothing where it does not tell, or writes that as 0. */
export const birthTold = ({ createdTime }: Pick<ApiKey, 'createdTime'>): UnixSeconds | undefined =>
  createdTime === undefined || createdTime <= 0 ? undefined : createdTime;
