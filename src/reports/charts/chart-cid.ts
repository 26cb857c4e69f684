import { createHash } from 'node:crypto';
import type { ChartModel } from '../compose/model.ts';

/** Content-ID of a chart's picture: the same chart always has the same one, other charts never. */
export const cidOf = (chart: ChartModel): string =>
  `chart-${createHash('sha256').update(JSON.stringify(chart)).digest('hex').slice(0, 16)}@tollkeeper`;
