import { mutant, type Mutant } from './mutant.ts';

const tests = 'reports/causes';

export const causeMutants: readonly Mutant[] = [
  mutant(
    'a model and key is named for a change of all calls although its own went the other way',
    tests,
    'monitoring/causes/name-contributor.ts',
    'return (now.calls - old.calls) * sign > 0n ? callsEffect(old, now) * sign : 0n;',
    'return total(cells, ({ units }) => units.volume) * sign * all.days;',
  ),
  mutant(
    'a contributor of less than a quarter is named',
    tests,
    'monitoring/causes/name-contributor.ts',
    'if (size * leastPart < units * sign * all.days || size <= 0n) continue;',
    'if (size <= 0n) continue;',
  ),
];
