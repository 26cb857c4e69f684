import type { Clock, Deps } from '../../core/index.ts';
import { createOwnQueries } from './in-process.ts';
import { createIsolatedQueries } from './isolated.ts';
import type { QueryEngine } from './query-engine.ts';

export const openQueries = (start: Deps['startQueryProcess'], clock: Clock): QueryEngine =>
  start === undefined ? createOwnQueries(clock) : createIsolatedQueries(start, clock);
