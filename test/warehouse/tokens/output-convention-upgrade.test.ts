import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/core/index.ts';
import { openEngine } from '../../../src/storage/index.ts';
import { migrate } from '../../../src/warehouse/migrate.ts';
import { schema } from '../../../src/warehouse/schema.ts';
import { openIn, optionsIn, testFolder } from '../support.ts';
import { day, landCalls } from './tokens-support.ts';

it('an upgrade keeps evidence of archived calls and rules for the input, and derives the output from stored calls', async () => {
  await using folder = await testFolder();
  const options = optionsIn(folder);
  await mkdir(dirname(options.path), { recursive: true });
  {
    await using engine = await openEngine(options);
    await migrate(engine, schema, systemClock, options.path);
    await engine.state(async (connection) => {
      await connection.execute(
        `INSERT INTO token_rule VALUES ('main', 'ruled-*', 'excludes_cache', 'input')`,
      );
      // Of calls that have left the table for the archive.
      await connection.execute(
        `INSERT INTO token_row_evidence VALUES ('main', ${day - 86_400 * 90}, 'archived', 10, 10, 3, ${day - 86_400 * 90}, 5, 900, NULL, 'input')`,
      );
    });
  }
  await using warehouse = await openIn(folder);
  const thought = { prompt_tokens: 5, completion_tokens: 100, reasoning_tokens: 900 };
  await landCalls(warehouse, folder, [
    { ...thought, model: 'archived' },
    { ...thought, model: 'ruled-1' },
  ]);
  expect(await warehouse.tokens.conventions('main')).toMatchObject([
    {
      model: 'archived',
      convention: 'excludes_cache',
      decidedBy: 'rows',
      evidence: { calls: 11, witness: { prompt: 5, cached: 900 } },
      output: { convention: 'excludes_reasoning', evidence: { calls: 1 } },
    },
    {
      model: 'ruled-1',
      convention: 'excludes_cache',
      evidence: { rule: 'ruled-*' },
      output: { convention: 'excludes_reasoning', evidence: { reasoningCalls: 1 } },
    },
  ]);
});
