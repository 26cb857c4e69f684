import type { UnixSeconds } from '../../base/index.ts';
import type { TokenConvention } from './convention.ts';
import { ruleFor } from './match-rule.ts';
import type { TokenRules } from './match-rule.ts';

/** A call with more cached, or more cache-write, tokens than its whole prompt. */
export type Witness = {
  readonly at: UnixSeconds;
  readonly prompt: number;
  readonly cached: number | undefined;
  readonly cacheWrite: number | undefined;
};

/** What the charges of one key's calls showed. Prices are evidence in floating point, no money. */
export type ShownPrice = {
  /** Begin of the last UTC day of the calls, and how many days they are of. */
  readonly day: UnixSeconds;
  readonly days: number;
  readonly key: string;
  readonly calls: number;
  readonly shows: TokenConvention;
  readonly promptPrice: string;
  readonly cachedPrice: string;
  readonly cachedError: string;
};

export type TokenEvidence = {
  readonly calls: number;
  /** Calls with cached or cache-write tokens: with none there is nothing to decide. */
  readonly cacheCalls: number;
  /** Calls that prove by themselves that the prompt excludes the cache, and the first of them. */
  readonly excludesCalls: number;
  readonly witness?: Witness;
  /** How often charges showed each convention, and what they showed last. */
  readonly includesTimes: number;
  readonly excludesTimes: number;
  readonly includesPrice?: ShownPrice;
  readonly excludesPrice?: ShownPrice;
  /** The rule of the configuration that applies. */
  readonly rule?: string;
};

/** What is taken of a model's prompt tokens, and why. */
export type ModelConvention = {
  readonly model: string;
  /** Nothing while it is open: what could be either is unclassified then. */
  readonly convention: TokenConvention | undefined;
  readonly decidedBy: 'configured' | 'rows' | 'price' | undefined;
  /** There is evidence against it; without a rule, evidence for both leaves it open. */
  readonly contradicted: boolean;
  readonly evidence: TokenEvidence;
};

/** The configured rule, else what the evidence shows when all of it shows the same. */
export const decide = (model: string, seen: TokenEvidence, rules: TokenRules): ModelConvention => {
  const excludes = seen.excludesCalls > 0 || seen.excludesTimes > 0;
  const includes = seen.includesTimes > 0;
  const rule = ruleFor(rules, model);
  if (rule !== undefined)
    return {
      model,
      convention: rule.convention,
      decidedBy: 'configured',
      contradicted: rule.convention === 'includes_cache' ? excludes : includes,
      evidence: { ...seen, rule: rule.pattern },
    };
  const open = { model, convention: undefined, decidedBy: undefined, evidence: seen };
  if (excludes && includes) return { ...open, contradicted: true };
  if (includes) return { ...open, contradicted: false, convention: 'includes_cache', decidedBy: 'price' };
  if (!excludes) return { ...open, contradicted: false };
  const decidedBy = seen.excludesCalls > 0 ? 'rows' : 'price';
  return { ...open, contradicted: false, convention: 'excludes_cache', decidedBy };
};
