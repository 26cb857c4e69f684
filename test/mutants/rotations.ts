import { mutant, type Mutant } from './mutant.ts';

export const rotationMutants: readonly Mutant[] = [
  mutant(
    'the request for a key is not journaled',
    'keys/crash-property',
    'keys/steps/create.ts',
    "await note(cycle, rotation, { what: 'creating', ...asked });",
    '',
  ),
  mutant(
    'the host stamps a new key',
    'keys/expire-clock',
    'keys/steps/create.ts',
    'createdTime: undefined,',
    'createdTime: toSeconds(cycle.deps.clock.now()),',
  ),
  mutant(
    'an old key in use ends',
    'keys/engine',
    'keys/retirement/judge-old.ts',
    'if (isUsed)',
    'if (isUsed && isPast)',
  ),
  mutant(
    'an old key ends by a log that is behind',
    'keys/evidence-faults',
    'keys/retirement/judge-old.ts',
    'if (lag > maxLag(retire.quiet) && !isUsedNow)',
    'if (lag < 0 && !isUsedNow)',
  ),
  mutant(
    'a key whose creation was not answered is not looked for',
    'keys/engine',
    'keys/steps/look.ts',
    "if (attempt.state !== 'lost' || view.listedAt >= settled) return false;",
    "if (attempt.state !== 'lost' || view.now > 0) return false;",
  ),
];
