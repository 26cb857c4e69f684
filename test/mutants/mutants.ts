import { causeMutants } from './causes.ts';
import { configurationMutants } from './configuration.ts';
import { landingMutants } from './landing.ts';
import { rollupMutants } from './rollup.ts';
import type { Mutant } from './mutant.ts';
import { replicaMutants } from './replicas.ts';
import { outboxMutants } from './outbox.ts';
import { pageMutants } from './page.ts';
import { rotationMutants } from './rotations.ts';
import { schedulerMutants } from './scheduler.ts';
import { timeMutants } from './times.ts';

export const mutants: readonly Mutant[] = [
  ...schedulerMutants,
  ...landingMutants,
  ...rollupMutants,
  ...outboxMutants,
  ...replicaMutants,
  ...pageMutants,
  ...rotationMutants,
  ...causeMutants,
  ...configurationMutants,
  ...timeMutants,
];
