import type { UnixSeconds } from '../../core/index.ts';
import type { OutputConvention, TokenConvention } from './convention.ts';
import { ruleFor, type OutputRules, type RulesOf, type TokenRules } from './match-rule.ts';

/** A call with more cached, or more cache-write, tokens than its whole prompt. */
export type Witness = {
  readonly at: UnixSeconds;
  readonly prompt: number;
  readonly cached: number | undefined;
  readonly cacheWrite: number | undefined;
};

/** A call with more reasoning tokens than completion tokens. */
export type OutputWitness = {
  readonly at: UnixSeconds;
  readonly completion: number;
  readonly reasoning: number | undefined;
};

/** What the charges of one key's calls show. Prices are evidence in floating point, never money. */
export type ShownPrice = {
  /** Start of the last UTC day of the calls, and their number of days. */
  readonly day: UnixSeconds;
  readonly days: number;
  readonly key: string;
  readonly calls: number;
  readonly shows: TokenConvention | OutputConvention;
  /** Price of a token of the whole (prompt or completion), and of one of the part (cached or reasoning). */
  readonly wholePrice: string;
  readonly partPrice: string;
  readonly partError: string;
};

/** Proofs of one side of a model's calls. */
type Proofs = {
  readonly calls: number;
  /** Calls that prove by themselves that the whole excludes the part. */
  readonly excludesCalls: number;
  /** How often charges showed each convention, and the latest result. */
  readonly includesTimes: number;
  readonly excludesTimes: number;
  readonly includesPrice?: ShownPrice;
  readonly excludesPrice?: ShownPrice;
  /** The rule of the configuration that applies. */
  readonly rule?: string;
};

export type TokenEvidence = Proofs & {
  /** Calls with cached or cache-write tokens: without any there is nothing to decide. */
  readonly cacheCalls: number;
  /** The first call that proves that the prompt excludes the cache. */
  readonly witness?: Witness;
};

export type OutputEvidence = Proofs & {
  /** Calls with reasoning tokens: without any there is nothing to decide. */
  readonly reasoningCalls: number;
  /** The first call that proves that the completion excludes the reasoning. */
  readonly witness?: OutputWitness;
};

type Decision<Convention> = {
  /** Undefined while it is open: ambiguous tokens are then unclassified. */
  readonly convention: Convention | undefined;
  readonly decidedBy: 'configured' | 'rows' | 'price' | undefined;
  /** Whether evidence contradicts it; without a rule, evidence for both leaves it open. */
  readonly contradicted: boolean;
};

export type OutputDecision = Decision<OutputConvention> & { readonly evidence: OutputEvidence };

/** The conventions of a model's prompt and completion tokens, with the reasons. */
export type ModelConvention = Decision<TokenConvention> & {
  readonly model: string;
  readonly evidence: TokenEvidence;
  readonly output: OutputDecision;
};

/** The evidence of both sides of a model. */
export type ModelEvidence = { readonly input: TokenEvidence; readonly output: OutputEvidence };

/** The configured rule; otherwise the convention that all evidence shows. */
const decideSide = <Convention extends string, Evidence extends Proofs>(
  model: string,
  evidence: Evidence,
  rules: RulesOf<Convention>,
  names: { readonly includes: Convention; readonly excludes: Convention },
): Decision<Convention> & { readonly evidence: Evidence } => {
  const excludes = evidence.excludesCalls > 0 || evidence.excludesTimes > 0;
  const includes = evidence.includesTimes > 0;
  const rule = ruleFor(rules, model);
  if (rule !== undefined)
    return {
      convention: rule.convention,
      decidedBy: 'configured',
      contradicted: rule.convention === names.includes ? excludes : includes,
      evidence: { ...evidence, rule: rule.pattern },
    };
  const open = { convention: undefined, decidedBy: undefined, contradicted: false, evidence };
  if (excludes && includes) return { ...open, contradicted: true };
  if (includes) return { ...open, convention: names.includes, decidedBy: 'price' };
  if (!excludes) return open;
  return { ...open, convention: names.excludes, decidedBy: evidence.excludesCalls > 0 ? 'rows' : 'price' };
};

export const decide = (
  model: string,
  { input, output }: ModelEvidence,
  rules: { readonly input: TokenRules; readonly output: OutputRules },
): ModelConvention => ({
  model,
  ...decideSide(model, input, rules.input, { includes: 'includes_cache', excludes: 'excludes_cache' }),
  output: decideSide(model, output, rules.output, {
    includes: 'includes_reasoning',
    excludes: 'excludes_reasoning',
  }),
});
