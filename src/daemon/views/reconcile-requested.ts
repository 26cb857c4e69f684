import { fault, interval, readMoment, toSeconds } from '../../core/index.ts';
import type { UnixSeconds } from '../../core/index.ts';
import type { JobContext } from '../../jobs/index.ts';
import type { ReconcileRequest, ReconcileView } from '../../server/index.ts';
import { reconcileHeld } from '../../reconcile/index.ts';

const secondOf = (text: string, zone: string): UnixSeconds => {
  const moment = readMoment(text, zone);
  if (moment !== undefined) return toSeconds(moment);
  throw fault('wrong-use', `${JSON.stringify(text)} is no moment`, {
    advice: `write 2026-11-21, 2026-11-21T08:00 (read in ${zone}) or 2026-11-21T08:00Z`,
  });
};

/** Compares the span that a person named. @throws fault `wrong-use` */
export const reconcileOrdered = async (
  request: ReconcileRequest,
  context: JobContext,
): Promise<ReconcileView> => {
  const { zone, account, progress } = context;
  const [start, end] = [secondOf(request.from, zone), secondOf(request.to, zone)];
  if (start >= end)
    throw fault('wrong-use', `--from ${request.from} does not lie before --to ${request.to}`, {
      advice: '--to is the first moment that no longer belongs to the span',
    });
  progress({ step: 'comparing the call log with other sources', detail: account.name });
  const asked = interval(start, end);
  return { account: account.name, zone, asked, ...(await reconcileHeld(asked, context)) };
};
