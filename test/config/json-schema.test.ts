import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonSchemas, renderSchema } from '../../src/config/index.ts';
import { channels } from '../../src/notify/index.ts';
import { shapeOf } from '../../src/config/schema/job-schema.ts';
import { kinds } from './support/load.ts';

type Node = {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | false;
  readonly anyOf?: readonly Node[];
};

const schemas: { readonly tollkeeper: Node; readonly jobs: Node } = jsonSchemas(kinds, channels);

describe('the generated JSON Schema', () => {
  it('is deterministic', () => {
    expect(renderSchema(jsonSchemas(kinds, channels).jobs)).toBe(renderSchema(schemas.jobs));
    expect(renderSchema(schemas.tollkeeper)).toBe(`${JSON.stringify(schemas.tollkeeper, undefined, 2)}\n`);
  });

  it('describes every setting and rejects unknown keys', () => {
    const undescribed: string[] = [];
    const visit = (node: Node, path: string): void => {
      for (const [key, child] of Object.entries(node.properties ?? {})) {
        const isWrapper = child.properties !== undefined && child.description === undefined;
        if (child.description === undefined && !isWrapper) undescribed.push(`${path}.${key}`);
        visit(child, `${path}.${key}`);
      }
      if (node.properties !== undefined) expect(node.additionalProperties, path).toBe(false);
      if (typeof node.additionalProperties === 'object') visit(node.additionalProperties, `${path}.*`);
    };
    visit(schemas.tollkeeper, 'settings');
    expect(undescribed).toEqual([]);
  });

  it('has one branch per kind with the common keys and its own', () => {
    const jobs = schemas.jobs.properties?.['jobs']?.additionalProperties;
    const branches = typeof jobs === 'object' ? (jobs.anyOf ?? []) : [];
    expect(branches.map(({ description }) => description)).toEqual(
      kinds.map(({ description }) => description),
    );
    expect(Object.keys(branches[0]?.properties ?? {})).toEqual([
      'kind',
      'account',
      'schedule',
      'day_match',
      'timezone',
      'suspend',
      'timeout',
      'needs',
      'needs_deadline',
      'when_late',
      'catchup',
      'catchup_window',
      'max_catchup_runs',
      'starting_deadline',
      'concurrency',
      'retries',
      'randomized_delay',
      'locks',
      'notify',
      'notify_to',
      'heartbeat_url',
      'columns',
      'since',
      'lag',
      'window',
    ]);
  });

  it('describes the written form, not the parsed form', () => {
    expect(schemas.tollkeeper).toMatchObject({
      properties: {
        accounts: {
          additionalProperties: {
            required: ['base_url', 'admin_key'],
            properties: {
              admin_key: { type: 'string' },
              timeouts: { properties: { idle: { type: 'string' } } },
            },
          },
        },
      },
    });
    expect(JSON.stringify(schemas.jobs)).toContain('"default":"1h"');
  });

  it('rejects a kind that redefines a common key', () => {
    const kind = { kind: 'odd', description: 'x', shape: z.object({ needs: z.number() }) };
    expect(() => shapeOf(kind)).toThrow(/kind odd redefines the common key needs/);
  });
});
