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

const pathsOf = (page: string): readonly string[] =>
  [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path = '']) => path);

/** `npm run reference` writes the pages again. */
describe('the reference of YAML keys', () => {
  it('has a page on tollkeeper.yaml generated from its schema', async () => {
    await expect(settingsReference(schemas.tollkeeper)).toMatchFileSnapshot(
      '../../docs/reference/tollkeeper.md',
    );
  });

  it('has a page on jobs generated from their schema', async () => {
    await expect(jobsReference(schemas.jobs)).toMatchFileSnapshot('../../docs/reference/jobs.md');
  });

  it('has a page on report.yaml generated from its schema', async () => {
    await expect(reportReference(report)).toMatchFileSnapshot('../../docs/reference/report.md');
  });

  it('has a page on the views generated from their columns', async () => {
    await expect(viewsReference(reportRelations)).toMatchFileSnapshot('../../docs/reference/views.md');
  });

  it('has a page on metrics generated from their catalogue', async () => {
    await expect(metricsReference(catalogue)).toMatchFileSnapshot('../../docs/reference/metrics.md');
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

  it('describes every key with its default', () => {
    const [settings, jobs] = [settingsReference(schemas.tollkeeper), jobsReference(schemas.jobs)];
    expect(pathsOf(settings)).toEqual(
      expect.arrayContaining(['timezone', 'accounts.<name>.gateway.kinds', 'teams.<name>.budget.month']),
    );
    expect(pathsOf(jobs)).toEqual(
      expect.arrayContaining([
        'retries.limit',
        'deliver[].vault.token_file',
        'windows[].from',
        'stages.warn',
      ]),
    );
    expect(jobs).toMatch(/^\| `timeout` \| [^|]+ \| `1h` \| Maximum/m);
    for (const page of [settings, jobs, reportReference(report)])
      expect(page.match(/^\| `[^`]+` \| [^|]* \| [^|]* \| +\|.*/gm) ?? []).toEqual([]);
  });

  it('changes when a key of a job kind is added, described differently, or has another default', () => {
    const changed = (shape: z.ZodObject): string => {
      const kinds = jobKinds.map((kind) => (kind.kind === 'archive' ? { ...kind, shape } : kind));
      return jobsReference(jsonSchemas(kinds, channels).jobs);
    };
    const shape = jobKinds.find(({ kind }) => kind === 'archive')?.shape ?? z.strictObject({});
    const page = jobsReference(schemas.jobs);
    expect(changed(shape)).toBe(page);
    const planted = [
      z.boolean().default(false).describe('A planted key.'),
      z.boolean().default(true).describe('A planted key.'),
      z.boolean().default(false).describe('Another text.'),
    ].map((key) => changed(shape.extend({ planted: key })));
    expect(new Set([page, ...planted]).size).toBe(4);
    expect(planted[0]).toContain('| `planted` | boolean | `false` | A planted key. |');
  });

  it('has a row for each set of kinds when a key has different values', () => {
    const rows = jobsReference(schemas.jobs)
      .split('\n')
      .filter((line) => line.startsWith('| `concurrency` |'));
    expect(rows).toHaveLength(2);
    expect(rows.filter((row) => row.endsWith('| `report` |'))).toHaveLength(1);
  });
});
