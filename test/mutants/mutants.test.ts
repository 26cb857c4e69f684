import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { mutants } from './mutants.ts';

// The storm plants them, half an hour later.
it.each(mutants)(
  'the file of the planted fault "$name" contains its text once',
  async ({ file, from, tests }) => {
    expect((await readFile(`src/${file}`, 'utf8')).split(from)).toHaveLength(2);
    await readFile(tests, 'utf8');
  },
);
