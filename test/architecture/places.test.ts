import { expect, it } from 'vitest';
import { readSources } from './imports.ts';
import { placesOf, type Change } from './places.ts';

const root = new URL('../../src', import.meta.url).pathname;

/** The most folders in which each usual change may be made, by a real example of it. */
const changes: readonly (Change & { readonly most: number })[] = [
  { change: 'an alert rule', definition: 'jobs/alert/rules/runway', most: 2 },
  {
    change: 'a section of the status',
    definition: 'web/sections/keys.ts',
    names: ['clockProblemsSection'],
    words: ['clockProblems:'],
    most: 2,
  },
  { change: 'a sink', definition: 'keys/sinks/vault', most: 2 },
  { change: 'a channel', definition: 'notify/channels/teams', most: 2 },
  { change: 'a step of a rotation', definition: 'keys/steps/verify.ts', most: 2 },
  {
    change: 'a metric',
    definition: 'metrics/catalogue.ts',
    names: [],
    words: ['tollkeeper_alert_firing'],
    most: 2,
  },
  { change: 'a language', definition: 'messages/de', most: 2 },
  { change: 'a command', definition: 'cli/next', most: 2 },
];

it.each(changes)('$change is made in at most $most folders', async ({ most, ...change }) => {
  const places = placesOf(await readSources(root), change);
  expect(places, places.join(', ')).toSatisfy(() => places.length <= most);
});

it('a planted use in another folder is a further place, and an unknown definition is a fault', () => {
  const rule = { path: 'rules/own/rule.ts', text: 'export const ownRule = 1;\nexport const shared = 2;' };
  const registry = { path: 'rules/registry.ts', text: `import { ownRule } from './own/rule.ts';` };
  const other = { path: 'other/a.ts', text: 'export const shared = 3;' };
  const change = { change: 'a rule', definition: 'rules/own' };
  expect(placesOf([rule, registry, other], change)).toEqual(['rules', 'rules/own']);
  const index = { path: 'rules/index.ts', text: `export { ownRule as rule } from './own/rule.ts';` };
  const passed = { path: 'far/away.ts', text: `import { shared, type ownRule } from '../rules/index.ts';` };
  expect(placesOf([rule, registry, other, index, passed], change)).toEqual(['far', 'rules', 'rules/own']);
  const loaded = { path: 'far/late.ts', text: `await import('../rules/own/rule.ts');` };
  expect(placesOf([rule, registry, loaded], change)).toEqual(['far', 'rules', 'rules/own']);
  const mentioned = { path: 'far/words.ts', text: `const name = 'own_total';` };
  expect(placesOf([rule, mentioned], { ...change, words: ['own_total'] })).toEqual(['far', 'rules/own']);
  expect(() => placesOf([other], change)).toThrow('rules/own does not exist');
  expect(() => placesOf([rule], { ...change, names: ['lost'] })).toThrow('rules/own does not export lost');
});
