import { clockOffset, unixMillis, type GatewayClock } from '../../core/index.ts';
import type { KeySurvey } from '../model/service-types.ts';
import { clockEffect } from './clock-skew.ts';
import type { ExpiryPolicy } from './expiry-policy.ts';

/**
 * Moves the survey and the policy to the gateway's clock, which stamps keys and calls. A small skew, or a clock that was set within the idle time,
 * lengthens that time. Pure.
 */
export const byGatewayClock = (
  survey: KeySurvey,
  policy: ExpiryPolicy,
  clock: GatewayClock | undefined,
): { readonly survey: KeySurvey; readonly policy: ExpiryPolicy } => {
  const effect = clockEffect(clock, policy);
  const at = unixMillis(survey.at + clockOffset(clock));
  if (effect.effect === 'suspend')
    return { survey: { ...survey, at }, policy: { ...policy, suspended: effect.problem } };
  const jump = clock !== undefined && clock.since > at - policy.quiet - effect.margin ? clock.jump : 0;
  return { survey: { ...survey, at }, policy: { ...policy, quiet: policy.quiet + effect.margin + jump } };
};
