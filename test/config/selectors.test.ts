import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { kinds, load } from './support/load.ts';
import { patternsOverlap } from '../../src/config/rules/patterns-overlap.ts';
import { matchesPattern } from '../../src/warehouse/index.ts';

const filters = z.strictObject({
  filters: z.looseObject({}).optional(),
  keys: z.looseObject({}).optional(),
});

it('each selector of the settings and of the jobs has its place', async () => {
  const { config, text } = await load(
    {
      'config/tollkeeper.yaml': `accounts: { main: { base_url: https://g.example, admin_key: "\${KEY}" } }
teams:
  growth:
    keys: ["growth-*", lab]
tags:
  "prod-*": { environment: production, owner: o }
budgets:
  a: { keys: "x-*", amount: 5 }
  b: { model: "gpt-*", amount: 5, account: main }
  c: { tag: { environment: production }, amount: 5 }
`,
      'config/jobs/jobs.yaml': `jobs:
  part:
    kind: part
    filters: { models: [m], keys: [k], tags: { owner: [o] } }
    keys: { name: "svc-*" }
`,
    },
    { KEY: 'sk-admin-of-the-tests' },
    { kinds: [...kinds, { kind: 'part', description: 'Has a part.', shape: filters }] },
  );
  expect(text).toBe('');
  const shown = config?.selectors.map(
    ({ file, line, at, names, pattern, account }) =>
      `${file.slice(7)}:${line} ${at} ${names} ${pattern} ${account ?? 'any'}`,
  );
  expect(shown).toEqual([
    'tollkeeper.yaml:4 teams.growth.keys[0] key growth-* any',
    'tollkeeper.yaml:4 teams.growth.keys[1] key lab any',
    'tollkeeper.yaml:6 tags.prod-* key prod-* any',
    'tollkeeper.yaml:8 budgets.a.keys key x-* any',
    'tollkeeper.yaml:9 budgets.b.model model gpt-* main',
    'tollkeeper.yaml:10 budgets.c.tag.environment environment production any',
    'jobs/jobs.yaml:4 jobs.part.filters.keys[0] key k main',
    'jobs/jobs.yaml:4 jobs.part.filters.models[0] model m main',
    'jobs/jobs.yaml:4 jobs.part.filters.tags.owner[0] owner o main',
    'jobs/jobs.yaml:5 jobs.part.keys.name key svc-* main',
  ]);
});

const patterns = fc.stringMatching(/^[ab*]{0,4}$/);

/** All names of these letters that are long enough for two patterns of four characters. */
const names = [
  '',
  ...Array.from({ length: 8 })
    .reduce<string[][]>(
      (lists) => [...lists, (lists.at(-1) ?? []).flatMap((name) => [`${name}a`, `${name}b`])],
      [['']],
    )
    .flat(),
];

it('two patterns overlap exactly if some name matches both', () => {
  fc.assert(
    fc.property(patterns, patterns, (left, right) => {
      const both = names.some((name) => matchesPattern(left, name) && matchesPattern(right, name));
      expect(patternsOverlap(left, right)).toBe(both);
    }),
    { numRuns: 300 },
  );
});
