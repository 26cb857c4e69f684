import {
  byGatewayClock,
  planExpiry,
  planNotices,
  type ExpiryPlan,
  type KeyService,
  type KeySurvey,
  type PlannedExpiry,
} from '../../keys/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';
import { collectExpiryEvidence, type ExpiryDeps } from './collect-expiry-evidence.ts';
import { expiryPolicy, type ExpireSettings } from './expire-shape.ts';

export type PlannedExpiries = { readonly plan: ExpiryPlan; readonly notices: readonly PlannedExpiry[] };

/** What a job ends now, and the notices of keys that expire by themselves. */
export const planExpiries = async (
  listed: KeySurvey,
  job: { readonly name: string; readonly zone: string; readonly settings: ExpireSettings },
  deps: Omit<ExpiryDeps, 'history' | 'keyService' | 'warehouse'> & {
    readonly warehouse: ExpiryDeps['warehouse'] & Pick<Warehouse, 'clocks'>;
    readonly keyService: Pick<KeyService, 'history' | 'keptBySinks'>;
  },
): Promise<PlannedExpiries> => {
  const { account, warehouse, teams, keyService } = deps;
  const { survey, policy } = byGatewayClock(
    listed,
    expiryPolicy(job, job.settings),
    warehouse.clocks.of(account),
  );
  const history = await keyService.history();
  const evidence = await collectExpiryEvidence(survey, policy, { ...deps, history });
  return {
    plan: planExpiry(survey, policy, evidence, teams),
    notices: planNotices(survey, job.settings.notices, history),
  };
};
