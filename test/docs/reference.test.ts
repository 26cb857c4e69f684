import { describe, expect, it } from 'vitest';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { commands } from '../../src/cli/commands.ts';
import { jsonSchemas } from '../../src/config/index.ts';
import { jobKinds } from '../../src/jobs/index.ts';
import { catalogue } from '../../src/metrics/catalogue.ts';
import { channels } from '../../src/notify/index.ts';
import { reportShape } from '../../src/reports/definition/definition.ts';
import { reportRelations } from '../../src/settings.ts';
import {
  commandsTable,
  jobsReference,
  metricsReference,
  reportReference,
  settingsReference,
  viewsReference,
  type JsonSchema,
} from './reference.ts';

const schemas = jsonSchemas(jobKinds, channels);
const report: JsonSchema = z.toJSONSchema(reportShape, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

/** `npm run reference` writes the pages again. */
describe('the reference of YAML keys', () => {
  it.each([
    ['tollkeeper', settingsReference(schemas.tollkeeper)],
    ['jobs', jobsReference(schemas.jobs)],
    ['report', reportReference(report)],
    ['views', viewsReference(reportRelations)],
    ['metrics', metricsReference(catalogue)],
  ])('has a page that is generated from what it describes: %s', async (name, page) => {
    await expect(page).toMatchFileSnapshot(`../../docs/reference/${name}.md`);
  });

  it('has a table in README of every command with its summary', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const [before, rest = ''] = readme.split('<!-- commands -->\n');
    const [, after] = rest.split('<!-- end -->');
    const table = commandsTable(commands);
    expect(table.split('\n').filter((line) => line.startsWith('| `'))).toHaveLength(commands.length);
    await expect(`${before}<!-- commands -->\n${table}<!-- end -->${after}`).toMatchFileSnapshot(
      '../../README.md',
    );
  });

  it('describes every key', () => {
    for (const page of [
      settingsReference(schemas.tollkeeper),
      jobsReference(schemas.jobs),
      reportReference(report),
    ])
      expect(page.match(/^\| `[^`]+` \| [^|]* \| [^|]* \| +\|.*/gm) ?? []).toEqual([]);
  });
});
