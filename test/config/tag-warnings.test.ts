import { expect, it } from 'vitest';
import { warningsOf } from './support/mistakes.ts';

it('`check` warns of tag patterns that match the same names and disagree, and says which one applies', async () => {
  const tags = `tags:
  "prod-*": { environment: production, product: search }
  "*-batch": { environment: batch }
  "ci-*": { environment: ci }
  "prod-search": { product: search }
teams:`;
  const found = await warningsOf([['settings', 'teams:', tags]]);
  expect(found.filter(({ message }) => message.startsWith('the patterns'))).toEqual([
    {
      at: 'tollkeeper.yaml:19:3',
      message:
        'the patterns "prod-*" and "*-batch" match the same names and give different values of environment; "*-batch" applies',
      advice: 'if that is not intended, make the patterns disjoint',
    },
    {
      at: 'tollkeeper.yaml:20:3',
      message:
        'the patterns "*-batch" and "ci-*" match the same names and give different values of environment; "*-batch" applies',
      advice: 'if that is not intended, make the patterns disjoint',
    },
  ]);
});
