import { formatMoment } from '../../../core/index.ts';
import type { PlannedExpiry, PlannedRotation } from '../../../keys/index.ts';
import type { KeyPlanView, PlannedChange } from './key-views.ts';
import type { FreshKeyPlan, JobKeyPlan, KeyJob } from '../../keys/job-plans.ts';

const describeReason = {
  age: 'it has reached its age',
  split: 'the sinks of its service may hold different keys',
  hand: 'requested manually',
  leak: 'it is compromised',
  new: 'the service has no key yet',
} as const;

const describeQuota = ({ terms: { quota }, old }: PlannedRotation): string => {
  const left = old === undefined || old.unlimitedQuota ? 'no limit' : old.remainQuota;
  if (quota.kind === 'carry') return `quota ${left}, carried over`;
  if (quota.kind === 'split') return `quota half of ${left}`;
  return quota.kind === 'fixed' ? `quota ${quota.amount}` : 'no limit';
};

const describeRetirement = ({ terms: { retire } }: PlannedRotation): string => {
  if (retire.when === 'now') return 'deleted immediately';
  const end = retire.ending === 'delete' ? 'deleted' : 'set to expire';
  return retire.when === 'unused' ? `${end} once it is unused` : `${end} after the overlap`;
};

const rotationChange = (planned: PlannedRotation): PlannedChange => {
  const { service, old, why } = planned;
  if (old === undefined)
    return { what: 'create', service, message: `a first key: ${describeQuota(planned)}` };
  return {
    what: 'rotate',
    service,
    keyId: old.keyId,
    name: old.name,
    message: `${describeReason[why]}; ${describeQuota(planned)}; the old key is ${describeRetirement(planned)}`,
  };
};

const describeExpiry = ({ action }: PlannedExpiry, zone: string): string => {
  if (action.kind === 'warn') return `its owner is notified: ${action.stage}`;
  if (action.kind === 'delete') return 'deleted';
  return 'at' in action ? `expires ${formatMoment(action.at, zone)}` : 'expires';
};

export const planView = (
  job: KeyJob,
  { rotations, expiries, notes }: JobKeyPlan,
  { at, file, skipped }: Pick<KeyPlanView, 'at' | 'file'> & Partial<Pick<FreshKeyPlan, 'skipped'>>,
): KeyPlanView => ({
  at,
  account: job.account,
  job: job.name,
  kind: job.kind,
  zone: job.zone,
  changes: [
    ...rotations.map(rotationChange),
    ...expiries.map((planned): PlannedChange => ({
      what: planned.action.kind,
      service: planned.service,
      keyId: planned.keyId,
      name: planned.name,
      message: describeExpiry(planned, job.zone),
    })),
  ],
  notes,
  ...(skipped === undefined
    ? {}
    : { skipped: skipped.map(({ keyId, name, reason, message }) => ({ keyId, name, reason, message })) }),
  file,
});
