import type { LearnedView } from './doctor-view.ts';
import type { ModelConvention } from '../warehouse/index.ts';

const count = (value: number): string => value.toLocaleString('en-US');

const times = (value: number): string => (value === 1 ? 'once' : `${count(value)} times`);

const open = 'open: tokens that could be either are unclassified';

const inputs = {
  mixed:
    'mixed: prompt tokens include cached tokens in some calls and exclude them in others; tokens that could be either are unclassified',
  includes_cache: 'prompt tokens include cached tokens',
  excludes_cache: 'prompt tokens exclude cached tokens',
} as const;

const outputs = {
  mixed:
    'mixed: completion tokens include reasoning tokens in some calls and exclude them in others; tokens that could be either are unclassified',
  includes_reasoning: 'completion tokens include reasoning tokens',
  excludes_reasoning: 'completion tokens exclude reasoning tokens',
} as const;

type Point = LearnedView['points'][number];
type Side = ModelConvention | ModelConvention['output'];

/** Whether evidence shows both conventions, as for a model name that the gateway serves from two vendors. */
const isMixed = ({ convention, contradicted }: Side): boolean => convention === undefined && contradicted;

/** What a side's tokens contain. */
const valueOf = <Convention extends string>(
  side: Side & { readonly convention: Convention | undefined },
  values: Readonly<Record<Convention | 'mixed', string>>,
): string => {
  if (isMixed(side)) return values.mixed;
  return side.convention === undefined ? open : values[side.convention];
};

const evidenceOf = (
  side: Side,
  {
    parts,
    setting,
    labels,
  }: { readonly parts: string; readonly setting: string; readonly labels: readonly string[] },
): string => {
  const { evidence, contradicted } = side;
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
    ...(isMixed(side)
      ? [
          `leave ${setting} unset for this model, since each value is wrong for some calls; a model name for each vendor at the gateway separates them`,
        ]
      : contradicted
        ? ['there is evidence against it']
        : []),
  ].join('; ');
};

const howOf = ({ decidedBy }: Side): Point['how'] => (decidedBy === 'configured' ? 'config' : 'data');

const inputPoint = (one: ModelConvention): readonly Point[] => {
  const { model, evidence } = one;
  if (evidence.cacheCalls === 0 && evidence.rule === undefined) return [];
  return [
    {
      point: `tokens.${model}`,
      value: valueOf(one, inputs),
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
  const { evidence } = output;
  if (evidence.reasoningCalls === 0 && evidence.rule === undefined) return [];
  return [
    {
      point: `tokens.${model}.output`,
      value: valueOf(output, outputs),
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
