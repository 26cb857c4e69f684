import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

it('docs/operations.md shows the compose file that init writes', async () => {
  const template = await readFile('templates/compose.yaml', 'utf8');
  expect(await readFile('docs/operations.md', 'utf8')).toContain(`# compose.yaml\n${template}`);
});
