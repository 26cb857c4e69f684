import { expect, it } from 'vitest';
import { goodEnv, goodFiles, load } from '../../config/support/load.ts';
import { openInMemory, openNew } from '../support.ts';
import { landCalls } from './tokens-support.ts';
import { fitsPattern } from '../../../src/keys/index.ts';
import { inScope } from '../../../src/monitoring/index.ts';
import {
  isSameName,
  matchesPattern,
  type OutputRules,
  type TokenRules,
} from '../../../src/warehouse/index.ts';

const settings = 'config/tollkeeper.yaml';

const withRules = (point: string, rules: string) => ({
  ...goodFiles,
  [settings]: (goodFiles[settings] ?? '').replace(
    'currency: USD }',
    `currency: USD, gateway: { ${point}: { ${rules} } } }`,
  ),
});

it('accounts.NAME.gateway.token_convention is read as the rules of the warehouse', async () => {
  const written = withRules('token_convention', '"claude-*": excludes_cache, "*": includes_cache');
  const { config, text } = await load(written, goodEnv);
  expect(text).toBe('');
  const rules: TokenRules = config?.settings.accounts['main']?.gateway.token_convention ?? {};
  expect(rules).toEqual({ 'claude-*': 'excludes_cache', '*': 'includes_cache' });
  const { folder, warehouse } = await openNew(openInMemory);
  await warehouse.tokens.configure('main', rules);
  await landCalls(warehouse, folder, [{ model: 'claude-x' }, { model: 'gpt-x' }]);
  expect(await warehouse.tokens.conventions('main')).toMatchObject([
    { model: 'claude-x', convention: 'excludes_cache', evidence: { rule: 'claude-*' } },
    { model: 'gpt-x', convention: 'includes_cache', evidence: { rule: '*' } },
  ]);
});

it('accounts.NAME.gateway.output_convention is read as the rules of the warehouse', async () => {
  const { config, text } = await load(withRules('output_convention', '"x-*": excludes_reasoning'), goodEnv);
  expect(text).toBe('');
  const rules: OutputRules = config?.settings.accounts['main']?.gateway.output_convention ?? {};
  expect(rules).toEqual({ 'x-*': 'excludes_reasoning' });
});

it.each([
  ['token_convention', 'includes_cache'],
  ['output_convention', 'includes_reasoning'],
])('accounts.NAME.gateway.%s accepts no other value', async (point, known) => {
  const { text } = await load(withRules(point, '"x-*": excludes'), goodEnv);
  expect(text).toContain(point);
  expect(text).toContain(known);
});

/** The same name with its accent as one character, and as two. */
const [composed, decomposed] = ['caf\u00E9-prod', 'cafe\u0301-prod'];

it.each([
  [composed, decomposed],
  [decomposed, composed],
  ['caf\u00E9-*', decomposed],
])('the pattern %j of reports and budgets matches %j, however the accent is written', (pattern, name) => {
  expect(matchesPattern(pattern, name)).toBe(true);
  expect(isSameName(composed, decomposed)).toBe(true);
});

it('a budget of a service counts it under both forms of its name', () => {
  const rules = { teams: [], tags: [{ pattern: composed, tags: { product: composed } }] };
  const calls = { model: 'm', key: decomposed, service: decomposed };
  expect(inScope({ kind: 'service', name: composed }, calls, rules)).toBe(true);
  expect(inScope({ kind: 'tag', tag: 'product', name: decomposed }, calls, rules)).toBe(true);
});

it('a selector of keys that are rotated or deleted gains none by normalization', () => {
  expect(fitsPattern(composed, decomposed)).toBe(false);
});
