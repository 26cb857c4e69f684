import { dataMutants } from './data-mutants.ts';
import type { Mutant } from './mutant.ts';
import { workMutants } from './work-mutants.ts';

export const mutants: readonly Mutant[] = [...workMutants, ...dataMutants];
