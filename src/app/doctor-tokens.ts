import type { LearnedView } from '../server/index.ts';
import type { ModelConvention } from '../warehouse/index.ts';

const count = (value: number): string => value.toLocaleString('en-US');

const values = {
  includes_cache: 'prompt tokens hold the cached ones',
  excludes_cache: 'cached tokens come on top of the prompt',
} as const;

/** What a model's prompt tokens hold; nothing for a model without cached tokens, where there is nothing to tell. */
export const conventionPoint = ({
  model,
  convention,
  decidedBy,
  contradicted,
  evidence,
}: ModelConvention): LearnedView['points'] => {
  if (evidence.cacheCalls === 0 && evidence.rule === undefined) return [];
  const shows = [
    `${count(evidence.calls)} calls, ${count(evidence.cacheCalls)} with cached tokens`,
    ...(evidence.excludesCalls > 0 ? [`${count(evidence.excludesCalls)} with more of them than prompt`] : []),
    ...(evidence.includesTimes > 0
      ? [`charges show that the prompt holds them ${count(evidence.includesTimes)} times`]
      : []),
    ...(evidence.excludesTimes > 0
      ? [`charges show that they come on top ${count(evidence.excludesTimes)} times`]
      : []),
    ...(evidence.rule === undefined ? [] : [`gateway.token_convention says so for ${evidence.rule}`]),
    ...(contradicted ? ['there is evidence against it'] : []),
  ];
  return [
    {
      point: `tokens.${model}`,
      value: convention === undefined ? 'open: what could be either is unclassified' : values[convention],
      evidence: shows.join('; '),
      how: decidedBy === 'configured' ? 'config' : 'data',
    },
  ];
};
