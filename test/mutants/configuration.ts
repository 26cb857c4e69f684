import { mutant, type Mutant } from './mutant.ts';

export const configurationMutants: readonly Mutant[] = [
  mutant(
    'a job counts as ready once one of its needs is',
    'config/mistakes',
    'config/rules/rules.ts',
    'if (needs?.size === 0) ready.push(waiting);',
    'if (needs !== undefined) ready.push(waiting);',
  ),
  mutant(
    'a job may need itself',
    'config/mistakes',
    'config/rules/rules.ts',
    "if (names === 'job' && text === job.name)",
    "if (names === 'job' && text === '')",
  ),
  mutant(
    'a job without an account is valid with several accounts',
    'config/mistakes',
    'config/rules/rules.ts',
    'accounts.length === 1 ||',
    'accounts.length > 1 ||',
  ),
  mutant(
    'a job may send mail without a mail server',
    'config/mistakes',
    'config/rules/rules.ts',
    'if (declared.hasMail !== false ||',
    'if (declared.hasMail !== true ||',
  ),
  mutant(
    'a delay may be longer than the time between two slots',
    'config/policies',
    'config/rules/rules.ts',
    'if (space === undefined || delay <= space) return [];',
    'if (space === undefined || delay > 0) return [];',
  ),
];
