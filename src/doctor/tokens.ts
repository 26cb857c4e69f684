import type { LearnedView } from './doctor-view.ts';
import type { ModelConvention } from '../warehouse/index.ts';

const count = (value: number): string => value.toLocaleString('en-US');

const times = (value: number): string => (value === 1 ? 'once' : `${count(value)} times`);

const open = 'open: tokens that could be either are unclassified';

const inputs = {
  includes_cache: 'prompt tokens include cached tokens',
  excludes_cache: 'prompt tokens exclude cached tokens',
} as const;

const outputs = {
  includes_reasoning: 'completion tokens include reasoning tokens',
  excludes_reasoning: 'completion tokens exclude reasoning tokens',
} as const;

type Point = LearnedView['points'][number];
type Side = ModelConvention | ModelConvention['output'];

const evidenceOf = (
  { evidence, contradicted }: Side,
  {
    parts,
    setting,
    labels,
  }: { readonly parts: string; readonly setting: string; readonly labels: readonly string[] },
): string => {
  const [excludes = '', includesPrice = '', excludesPrice = ''] = labels;
  return [
    `${count(evidence.calls)} calls, ${parts}`,
    ...(evidence.excludesCalls > 0 ? [`${count(evidence.excludesCalls)} ${excludes}`] : []),
    ...(evidence.includesTimes > 0
      ? [`charges showed ${times(evidence.includesTimes)} that ${includesPrice}`]
      : []),
    ...(evidence.excludesTimes > 0
      ? [`charges showed ${times(evidence.excludesTimes)} that ${excludesPrice}`]
      : []),
    ...(evidence.rule === undefined ? [] : [`set by ${setting} for ${evidence.rule}`]),
    ...(contradicted ? ['there is evidence against it'] : []),
  ].join('; ');
};

const howOf = ({ decidedBy }: Side): Point['how'] => (decidedBy === 'configured' ? 'config' : 'data');

const inputPoint = (one: ModelConvention): readonly Point[] => {
  const { model, convention, evidence } = one;
  if (evidence.cacheCalls === 0 && evidence.rule === undefined) return [];
  return [
    {
      point: `tokens.${model}`,
      value: convention === undefined ? open : inputs[convention],
      evidence: evidenceOf(one, {
        parts: `${count(evidence.cacheCalls)} with cached tokens`,
        setting: 'gateway.token_convention',
        labels: [
          'with more of them than prompt tokens',
          'prompt tokens include them',
          'prompt tokens exclude them',
        ],
      }),
      how: howOf(one),
    },
  ];
};

const outputPoint = ({ model, output }: ModelConvention): readonly Point[] => {
  const { convention, evidence } = output;
  if (evidence.reasoningCalls === 0 && evidence.rule === undefined) return [];
  return [
    {
      point: `tokens.${model}.output`,
      value: convention === undefined ? open : outputs[convention],
      evidence: evidenceOf(output, {
        parts: `${count(evidence.reasoningCalls)} with reasoning tokens`,
        setting: 'gateway.output_convention',
        labels: [
          'with more of them than completion tokens',
          'completion tokens include them',
          'completion tokens exclude them',
        ],
      }),
      how: howOf(output),
    },
  ];
};

/** What a model's prompt and completion tokens contain; empty if no call has cached or reasoning tokens. */
export const conventionPoints = (one: ModelConvention): readonly Point[] => [
  ...inputPoint(one),
  ...outputPoint(one),
];
