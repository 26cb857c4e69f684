import type { Context } from '../context.ts';

/** Why figures are not compared with the comparison period; undefined where that says nothing. */
export const notComparedText = (context: Context): string | undefined => {
  const { comparison } = context.period;
  const { messages } = context.locale;
  const state = context.covers(context.period.interval);
  if (!context.hasAmounts) return undefined;
  if (context.noDataBefore !== undefined && state !== 'missing')
    return messages.notComparedBefore(comparison.label, context.noDataBefore);
  return messages.notCompared[state === 'complete' ? 'nothing-before' : 'incomplete'];
};
