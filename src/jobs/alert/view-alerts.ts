import type { AlertShown } from '../../monitoring/index.ts';
import type { AlertStatus, StoredAlert } from '../../warehouse/index.ts';
import type { CostOwners } from '../cost-owners.ts';
import { alertRules } from './rules/registry.ts';

/** What every rule shows of an account, with what is stored of each alert; alerts that tables omit come last. */
export const viewAlerts = (
  statuses: readonly AlertStatus[],
  facts: {
    readonly account: string;
    readonly costOwners: CostOwners;
    readonly firing: readonly StoredAlert[];
  },
): readonly (AlertShown & { readonly status?: object })[] => {
  const shown = alertRules.flatMap((rule) => rule.view(statuses, facts));
  return [
    ...shown.filter(({ title }) => title !== undefined),
    ...shown.filter(({ title }) => title === undefined),
  ];
};
