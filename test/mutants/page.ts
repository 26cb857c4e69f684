import { mutant, type Mutant } from './mutant.ts';

export const pageMutants: readonly Mutant[] = [
  mutant(
    'a form of another session is accepted on the status page',
    'web/access',
    'web/page/actions.ts',
    'if (!isSameSecret(csrf, session.csrf)) {',
    "if (csrf === '') {",
  ),
  mutant(
    'the link of an alert mail works twice',
    'web/access',
    'web/page/alert-links.ts',
    "&& (await links.wasUsed(whoOf(link))) ? 'used' : link",
    "&& whoOf(link) === '' ? 'used' : link",
  ),
  mutant(
    'a proxy header counts from any address',
    'web/access',
    'web/page/access.ts',
    'if (isTrusted(remote)) return true;',
    "if (remote !== '') return true;",
  ),
  mutant(
    'spend is not read again after a landing',
    'daemon/spend-reader',
    'warehouse/rollup/refresh.ts',
    'versions.set(account, (versions.get(account) ?? 0) + 1);',
    'versions.set(account, 1);',
  ),
];
