import { groupBy } from '../../core/index.ts';
import type { AlertView } from './alert-view.ts';

/** An alert whose state is unknown, and the next step. */
export type UnknownAlert = {
  readonly account: string;
  readonly alert: string;
  readonly reason: string;
  readonly hint?: string | undefined;
};

/** Alerts that are unknown for one reason. */
export type UnknownAlerts = Pick<UnknownAlert, 'reason' | 'hint'> & {
  readonly alerts: readonly UnknownAlert[];
};

export const unknownAlertsOf = (views: readonly AlertView[]): readonly UnknownAlert[] =>
  views.flatMap(({ account, alert, state, mute, texts: { reason, hint } }) =>
    state === 'unknown' && mute === undefined && reason !== undefined
      ? [{ account, alert, reason, hint }]
      : [],
  );

/** In the order in which each reason occurs first. */
export const byReason = (alerts: readonly UnknownAlert[]): readonly UnknownAlerts[] =>
  [...groupBy(alerts, ({ reason, hint }) => JSON.stringify([reason, hint])).values()].map((same) => ({
    reason: same[0].reason,
    hint: same[0].hint,
    alerts: same,
  }));

/** An alert that says more than its reason: it fires, or part of its spend is known. */
const saysMore = ({ firing, texts }: AlertView): boolean => firing.length > 0 || texts['spend'] !== undefined;

/** Separates alerts that are shown as one line for each reason from those that are shown alone. */
export const collectUnknown = (
  views: readonly AlertView[],
): { readonly collected: readonly UnknownAlerts[]; readonly alone: readonly AlertView[] } => {
  const collected = byReason(unknownAlertsOf(views.filter((view) => !saysMore(view)))).filter(
    ({ alerts }) => alerts.length > 1,
  );
  const named = new Set(
    collected.flatMap(({ alerts }) => alerts.map(({ account, alert }) => JSON.stringify([account, alert]))),
  );
  return {
    collected,
    alone: views.filter(({ account, alert }) => !named.has(JSON.stringify([account, alert]))),
  };
};
