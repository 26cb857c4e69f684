import type { RegisteredRule } from '../rule.ts';
import { budgetRule } from './budget/rule.ts';
import { priceChangeRule } from './price-change/rule.ts';
import { runwayRule } from './runway/rule.ts';
import { keyBehaviourRule } from './key-behaviour/rule.ts';
import { unusualRule } from './unusual/rule.ts';

/** In the order in which they are evaluated and shown. */
export const alertRules: readonly RegisteredRule[] = [
  budgetRule,
  runwayRule,
  unusualRule,
  keyBehaviourRule,
  priceChangeRule,
];
