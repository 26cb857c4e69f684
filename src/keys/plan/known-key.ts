import { zero } from '../../core/index.ts';
import type { SurveyedKey } from '../model/service-types.ts';

type Known = Pick<SurveyedKey, 'service' | 'generation'> &
  Pick<SurveyedKey['key'], 'id' | 'name'> &
  Partial<Pick<SurveyedKey['key'], 'group' | 'status' | 'createdTime' | 'expiredTime'>>;

/** A key as the gateway would list it, of which only this is known. */
export const knownKey = ({ service, generation, ...key }: Known): SurveyedKey => ({
  key: {
    keyMask: undefined,
    status: undefined,
    remainQuota: zero,
    unlimitedQuota: true,
    expiredTime: 'never',
    group: undefined,
    createdTime: undefined,
    rest: {},
    ...key,
  },
  service,
  generation,
  known: true,
});
